"""The pages of talking. Views translate: what they show comes from selectors, what they do is done by
services. None is kept by a browser: "back" shows a conversation as it is now, and nobody reads it after signing out."""
