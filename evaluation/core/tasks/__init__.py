"""Tasks that are told over several turns: what is played, what was played, and how it is scored, one file a score."""
