"""Whether the current graph can be true: an in-process check of the OWL 2 RL axioms that the ontology uses."""
