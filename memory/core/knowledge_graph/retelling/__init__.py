"""Retelling: what people said of themselves, as sentences that can be read without what stood around them."""
