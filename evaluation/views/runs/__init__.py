"""The pages of *Evaluate*: runs, their items, comparisons, trends. Every page has an address that may be sent to a member."""
