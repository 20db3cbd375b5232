"""Generated memory: summaries of sessions, facts of rounds, insights over facts (SGMem's M, F and I)."""
