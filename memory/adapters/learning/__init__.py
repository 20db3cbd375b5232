"""Training of the small models that play the built-in engine's roles. Needs torch; nothing here is loaded at run time."""
