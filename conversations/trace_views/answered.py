"""Shows what was answered, with the facts and sentences that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from conversations.core.tracing.answered import Answered
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, sentence
from memory.models import SentenceRecord, TripleRecord
from memory.selectors.owned import with_parts
from memory.selectors.tracing import NumberedStep
from memory.stores import triple_of
from memory.trace_views.base import Reading, StepView


@dataclass(frozen=True)
class AnsweredShown:
    """An answer with what it rests on, as far as that is there still."""

    step: Answered
    facts: Sequence[TripleRecord]
    sentences: Sequence[SentenceRecord]
    reader: str


class AnsweredView(StepView[Answered]):
    kind = Answered

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        steps = [one.step for [one] in groups if isinstance(one.step, Answered)]
        rows = with_parts(TripleRecord.objects.filter(space=reading.space_id))
        facts = rows.in_bulk({one for step in steps for one in step.triples})
        said = SentenceRecord.objects.filter(space=reading.space_id).select_related("turn")
        said = said.defer("embedding", "search", "turn__search")
        sentences = said.in_bulk({one for step in steps for one in step.sentences})
        return [
            AnsweredShown(
                step,
                [facts[one] for one in step.triples if one in facts],
                [sentences[one] for one in step.sentences if one in sentences],
                reading.reader,
            )
            for step in steps
        ]

    def lines(self, shown: AnsweredShown) -> list[str]:
        to = f' to "{shown.step.question}"' if shown.step.question else ""
        now = timezone.now()
        told = [sentence(assertion_of_triple(triple_of(one), at=now), asker=shown.reader) for one in shown.facts]
        return [
            f"Answered{to}: {shown.step.text or 'forgotten since'}",
            *(f"  - {one}" for one in (*told, *(one.shown for one in shown.sentences))),
        ]
