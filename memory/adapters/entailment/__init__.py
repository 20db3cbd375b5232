"""Implementations of `EntailmentModel`, and how the built-in one is trained, exported and calibrated."""
