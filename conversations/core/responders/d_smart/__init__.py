"""D-SMART's responder (Equation 1): a reply from the question, the dialogue, the graph and a reasoning tree.

`by_rule` and `prompted` are the two ways to play its roles, `no_tree` the ablation by rule. The rest reads a question as a
chain of relations: `questions` over `clauses` and `phrases` into a `sketch`, which `reading` fits to the graph by `plans`.
"""
