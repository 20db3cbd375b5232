"""SLSM: a typed state of a task that is revised locally and gates what may be said."""
