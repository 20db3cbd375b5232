"""Reads what other programs export of their chats and memories: one file a program. A new one copies a sibling."""
