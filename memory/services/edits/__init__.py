"""What people change by hand: each change is audited, followed by the next answer, and undone where that is possible."""
