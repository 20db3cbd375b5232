"""Titles of conversations: a short phrase of what they are about."""
