"""The pages of *Review*: projects of annotation, labelling, settling, agreement, results, and the team."""
