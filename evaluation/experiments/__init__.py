"""Taking the papers' experiments: which data they are for, what measures them, and what is written of them."""
