"""The responder `d_smart_no_tree` without a language model: the graph without its tree is one look (D-SMART, Table 2)."""

from __future__ import annotations

from conversations.core.responders.graph import GraphResponder


class RuleBasedNoTree(GraphResponder):
    """Implements `Responder`. Rules read no prompt, so that the neighbourhood is looked at as `graph` does."""

    name = "d_smart_no_tree"
