"""What a run is: its plan, its identity, its items, and the rows that it ends in."""
