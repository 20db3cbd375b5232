"""Sentence graph memory (SGMem): sentences as nodes, their likeness as edges, and what is found by walking them."""
