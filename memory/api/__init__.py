"""The API of memory: spaces, sessions, turns, sentences, triples and conflicts. Views translate; services and selectors act."""
