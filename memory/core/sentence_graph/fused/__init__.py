"""Our own retriever: what words and meaning say of sentences, turns, windows and sessions, added up and read by turn."""
