"""The pages of talking. Views translate: what they show comes from selectors, what they do is done by services."""
