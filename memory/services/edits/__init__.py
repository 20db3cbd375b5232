"""Edits by hand: each is recorded in the audit log, takes effect in the next reply, and can be undone unless it forgets."""
