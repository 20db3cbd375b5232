"""The margin and the pages of single facts. Views translate between requests and services or selectors."""
