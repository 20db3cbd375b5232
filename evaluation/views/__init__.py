"""Pages of measuring."""
