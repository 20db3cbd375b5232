"""The papers, in pure Python: no Django, no database, no network, no torch."""
