"""The API of talking: conversations, messages and replies. Views translate; services and selectors act."""
