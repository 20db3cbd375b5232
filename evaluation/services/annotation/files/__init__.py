"""Projects as files: written whole or finished, and read back, from our own forms and from those of benchmarks."""
