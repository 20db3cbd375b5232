"""Extraction by the message reader: what is learned finds the words, what is closed makes facts of them."""
