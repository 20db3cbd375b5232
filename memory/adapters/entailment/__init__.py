"""Entailment models behind `EntailmentModel`, and how the built-in one is trained, exported and calibrated."""
