"""The language by rule that more than one room needs."""
