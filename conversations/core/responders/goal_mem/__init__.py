"""Responders that prove what they answer (GOAL-MEM)."""
