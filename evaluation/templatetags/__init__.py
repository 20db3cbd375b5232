"""Template tags of measuring."""
