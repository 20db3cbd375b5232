"""Knowledge for a reply: which triples of a knowledge graph help a dialogue on (TG-DRG and GA-DRG; Chen et al., 2025)."""
