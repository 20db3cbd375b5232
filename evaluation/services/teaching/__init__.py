"""What a large language model writes for a small one to learn from (DRG, appendix C), one kind of lesson a module."""
