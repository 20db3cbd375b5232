"""The consistency check of the current graph, in this process: the OWL 2 RL axioms that the ontology uses."""
