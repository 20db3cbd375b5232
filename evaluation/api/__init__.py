"""The API of measuring: the scores of a session's turns, runs and their items. Views translate; selectors read."""
