"""The API of measuring: the scores of a session's turns. Views translate; selectors read."""
