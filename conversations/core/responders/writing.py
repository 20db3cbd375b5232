"""The reply that a language model writes from facts and from words (D-SMART, Figure 14).

Departure from the paper: each fact is followed by the sentence that it rests on, and the sentences nearest to the message
come along, because a graph never holds all of what was said.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.types import Grounds, GroundSentence, GroundTriple, Query, ReplyPart, Stage
from memory.core.english.telling_times import say_day
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.reasoning_tree.presentation import fact_lines, history_lines, said_lines, trajectory_lines
from memory.core.reasoning_tree.types import Action
from memory.core.types import Prompt, SourceSentence, Triple

PROMPT = Path(__file__).parent / "prompts" / "answer.md.j2"
WRITTEN_FROM = "is among what the answer was written from"
# Of the dialogue: "shorten what you wrote" leans on all of it.
UTTERANCE = 1_500
_GROUNDS = 20


@dataclass(frozen=True)
class Material:
    """What a reply is written from: facts and sentences, best first, and the steps of the search that found them."""

    facts: tuple[Triple, ...] = ()
    said: tuple[SourceSentence, ...] = ()
    steps: tuple[Action, ...] = ()


def written(query: Query, material: Material, *, write_answer: LanguageModel) -> Iterator[ReplyPart]:
    """Yield a reply that the model writes from the material."""
    yield Stage("write", "writing the reply")
    yield from streamed(write_answer.stream(answer_prompt(query, material), config=FAITHFUL))


def answer_prompt(query: Query, material: Material) -> Prompt:
    """Return the prompt for a reply from the material (the contract of Figure 14)."""
    return render_prompt(
        PROMPT,
        today=say_day(query.asked_at),
        speaker=query.speaker or "the user",
        facts=fact_lines(
            material.facts,
            lambda triple: triple_text(triple, asker=query.speaker, at=query.asked_at),
            asker=query.speaker,
        ),
        said=said_lines(material.said, asker=query.speaker, facts=material.facts),
        steps=trajectory_lines(material.steps),
        history=history_lines(query.history, longest=UTTERANCE),
        message=query.text,
    )


def grounds_of(triples: Sequence[Triple], said: Sequence[SourceSentence], *, why: str) -> Iterator[Grounds]:
    """Yield triples with their sentences, then the other sentences, as grounds; nothing where there is none."""
    shown = triples[:_GROUNDS]
    sources = {triple.source.id: GroundSentence(triple.source, "is where this was said") for triple in shown}
    others = {one.id: GroundSentence(one, WRITTEN_FROM) for one in said if one.id not in sources}
    if sources or others:
        yield Grounds(tuple(GroundTriple(triple, why) for triple in shown), (*sources.values(), *others.values()))
