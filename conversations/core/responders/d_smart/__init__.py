"""D-SMART's responder (Equation 1): a reply from the question, the dialogue, the graph and a reasoning tree.

`prompted` and `rule_based` are the two ways to reply, `no_tree` and `no_memory` the ablations of Table 2. By rule a question
is read as a chain of relations: `questions` over `clauses` and `phrases` into a `sketch`, which `reading` fits to the graph
by `plans`.
"""
