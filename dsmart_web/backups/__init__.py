"""Backups: the whole database in one file, made by PostgreSQL's own programs, and brought back whole or not at all."""
