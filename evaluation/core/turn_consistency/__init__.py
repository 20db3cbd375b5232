"""The verdict on one turn against what was said before it, by entailment: what a turn's score and `evaluate consistency` use.

From verdicts to CS and DER: `consistency_metrics`; to a report: `consistency_rows`.
"""
