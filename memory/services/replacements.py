"""Looks up, before a round is merged, which earlier fact a replaced value belonged to ("not Paris, Lyon")."""

from collections.abc import Sequence

from django.db.models import Q

from memory.core.knowledge_graph.replacement import replaced_values, resolved
from memory.core.types import GraphFragment, Modality, Polarity, Triple
from memory.models import Round, SentenceRecord, TripleRecord
from memory.stores import triples_of

# How many of a speaker's newest triples a correction may mean.
REACH = 500


def replacements_resolve(
    *, round: Round, sentences: Sequence[SentenceRecord], fragments: Sequence[GraphFragment]
) -> list[GraphFragment]:
    """Return the fragments with a predicate for each value that they replace, taken from the speaker's earlier facts."""
    return [
        resolved(fragment, _remembered(round, sentence, fragment))
        for sentence, fragment in zip(sentences, fragments, strict=True)
    ]


def _remembered(round: Round, sentence: SentenceRecord, fragment: GraphFragment) -> list[Triple]:
    values = replaced_values(fragment)
    if not values:
        return []
    rows = TripleRecord.objects.filter(
        space_id=round.space_id,
        superseded_at=None,
        said_by=sentence.turn.speaker,
        polarity=Polarity.POSITIVE,
        modality=Modality.ASSERTED,
    )
    meant = Q(value_key__in=values)
    for value in values:
        meant |= Q(value_key__endswith=f" {value}")
    recent = list(rows.order_by("-id").values_list("pk", flat=True)[:REACH])
    return triples_of(rows.filter(meant, pk__in=recent).order_by("id"))
