"""Our own retriever `fused`: adds up BM25 and embedding scores of sentences, turns, windows and sessions, turn by turn."""
