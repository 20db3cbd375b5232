"""Sentence graph memory (SGMem): sentences as nodes, edges to the nearest by embedding, and retrieval along the edges."""
