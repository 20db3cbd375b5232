"""The dashboard of a space: one page a tab, one header and one place in time for all of them."""
