"""The ways of answering that a person may choose from, in plain words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ResponderChoice:
    """A responder as it is offered: a label, and what it does in one sentence."""

    name: str
    label: str
    explanation: str
    needs_language_model: bool = False


RESPONDERS = (
    ResponderChoice(
        "graph", "Look it up", "Looks up the facts that your question is about and answers from them. Quick."
    ),
    ResponderChoice(
        "d_smart",
        "Search step by step",
        "Goes from one fact to the next, tries several ways and keeps the best. "
        "Finds what takes two or three steps; takes longer.",
    ),
    ResponderChoice(
        "d_smart_no_tree",
        "Read all facts at once",
        "Answers from all the facts around your question at once, without a search.",
    ),
    ResponderChoice(
        "fused",
        "Search what was said",
        "Looks through everything that was said, by its words and its meaning, and answers with the sentences that tell it.",
    ),
    ResponderChoice(
        "sgmem",
        "Follow related sentences",
        "Starts at the sentences nearest to your question, goes on to those most like them, and answers from the "
        "conversations that they lead to.",
    ),
    ResponderChoice(
        "d_smart_no_memory",
        "Think step by step, without memory",
        "Searches through thoughts of the language model only; nothing that I remember is used.",
        needs_language_model=True,
    ),
    ResponderChoice(
        "base",
        "Answer freely",
        "The language model answers by itself, without what I remember.",
        needs_language_model=True,
    ),
)
