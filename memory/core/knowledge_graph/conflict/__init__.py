"""Conflict detection: which triples of the graph a fragment contradicts or replaces (D-SMART, the p_c of Equation 2)."""
