"""The API of memory: spaces, sessions, turns, sentences, triples, conflicts. Views translate; services act."""
