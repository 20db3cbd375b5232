"""Who answers the questions of a kind of project for the machine: the players of the roles that the product itself asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.core.annotation.types import Answer
from evaluation.models import AnnotationItem
from memory.bootstrap.engines import Engine
from memory.bootstrap.models import make_message_reader, make_triple_selector
from memory.bootstrap.roles import VERIFY_FACTS
from memory.core.errors import ModelNotFound
from memory.core.grounded_generation.verification import FactsToVerify, Ground
from memory.core.types import MessageInContext, ReadFact

RELEVANT_FROM = 0.5


@dataclass(frozen=True)
class MachineAnswer:
    """An answer, who gave it, and how unsure of it that is, in [0, 1]."""

    answer: Answer
    by: str
    uncertainty: float


Player = Callable[[Sequence[AnnotationItem]], Iterable[MachineAnswer]]


def facts_verified(engine: Engine) -> Player:
    verifier = engine.player(VERIFY_FACTS)

    def answer(items: Sequence[AnnotationItem]) -> Iterable[MachineAnswer]:
        for [verdict] in verifier.verify_many([to_verify(item) for item in items]):
            # A verifier says nothing of how sure it is that there is not enough.
            certainty = 0.5 if verdict.probability is None else verdict.probability
            yield MachineAnswer({"verdict": verdict.status.value}, verifier.name, 1 - certainty)

    return answer


def to_verify(item: AnnotationItem) -> FactsToVerify:
    """Return the fact of an item as whoever stated it did, with the dialogue and the passages that people see."""
    return FactsToVerify(
        facts=(item.content["fact"],),
        speaker=item.source.get("speaker", ""),
        dialogue=tuple(Ground(one["text"], speaker=one["speaker"]) for one in item.content.get("dialogue", ())),
        evidence=tuple(Ground(one["text"], title=one["title"]) for one in item.content.get("evidence", ())),
    )


def triples_selected(engine: Engine) -> Player:
    selector = make_triple_selector()
    if selector is None:
        raise ModelNotFound("The selector of triples, which would answer, is missing here.")

    def answer(items: Sequence[AnnotationItem]) -> Iterable[MachineAnswer]:
        for item in items:
            said = [one["text"] for one in item.content["dialogue"]]
            [relevant] = selector.relevant_many(said, [item.content["triple"]])
            label = "relevant" if relevant >= RELEVANT_FROM else "irrelevant"
            yield MachineAnswer({"relevance": label}, selector.name, 1 - 2 * abs(float(relevant) - RELEVANT_FROM))

    return answer


def messages_read(engine: Engine) -> Player:
    reader = make_message_reader()
    if reader is None:
        raise ModelNotFound("The reader of messages, which would answer, is missing here.")

    def answer(items: Sequence[AnnotationItem]) -> Iterable[MachineAnswer]:
        said = [MessageInContext(item.content["message"], item.content.get("before", "")) for item in items]
        for facts in reader.read_many(said):
            certainty = min((fact.probability for fact in facts), default=1.0)
            yield MachineAnswer({"facts": [labelled(fact) for fact in facts]}, reader.name, 1 - certainty)

    return answer


def labelled(fact: ReadFact) -> list[str]:
    """Return a fact in the form of the labelled examples."""
    subject = "me" if fact.subject is None else fact.subject.text
    return [subject, fact.predicate, fact.object.text, " ".join(sorted(flag.value for flag in fact.flags))]


PLAYERS: Mapping[str, Callable[[Any], Player]] = {
    "fact_verdict": facts_verified,
    "triple_relevance": triples_selected,
    "message_facts": messages_read,
}
