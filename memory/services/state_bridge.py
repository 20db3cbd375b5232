"""Between the semantic states of sessions and the knowledge graph: what says the same ends together.

A fact of a state refers to the triple that was read out of the fact's own words. When the triple is replaced, perhaps in
another conversation or by hand, the fact closes, and what rested on it falls by the same revision.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet

from memory.core.naming import key_of
from memory.core.semantic_state.elements import ElementKind, Status
from memory.core.semantic_state.evidence import Withdrawn
from memory.core.semantic_state.keeping import difference
from memory.core.semantic_state.revision import revise
from memory.models import Round, Session, StateElementRecord, TripleRecord
from memory.services.dialogue import session_lock
from memory.services.semantic_state import state_load, state_write

TAKEN_BACK = "It was taken back in the memory."


def graph_follow(*, space_id: int, round: Round | None = None) -> None:
    """Let the states of a space follow its graph: link the facts of a round that was read, and close what was replaced.

    Nothing happens in a space without states. Called outside of transactions, since each session is locked for its own.
    """
    if round is not None:
        facts_link(round)
    replaced = open_facts(space_id).filter(triple__superseded_at__isnull=False)
    for session_id in sorted(set(replaced.values_list("session_id", flat=True))):
        facts_close(session_id)


def open_facts(space_id: int) -> QuerySet[StateElementRecord]:
    return StateElementRecord.objects.filter(space=space_id, kind=ElementKind.FACT, status=Status.OPEN)


def facts_link(round: Round) -> None:
    """Let each fact that a round's turns brought refer to the triple that was read out of its words."""
    facts = list(
        open_facts(round.space_id).filter(said_in__round=round, triple=None).exclude(words="").select_related("said_in")
    )
    if not facts:
        return
    triples = TripleRecord.objects.filter(round=round, superseded_at=None).select_related("sentence")
    read = list(triples.defer("sentence__embedding", "sentence__search"))
    for fact in facts:
        fact.triple = triple_saying(fact, read)
    StateElementRecord.objects.bulk_update([fact for fact in facts if fact.triple is not None], ["triple"])


def triple_saying(fact: StateElementRecord, triples: Sequence[TripleRecord]) -> TripleRecord | None:
    """Return the triple of the fact's turn whose span shares most with the fact's words and whose value they tell."""
    start = fact.said_in.text.find(fact.words) if fact.said_in is not None else -1
    end = start + len(fact.words)
    told = key_of(f"{fact.words} {fact.description}")

    def shared(triple: TripleRecord) -> int:
        begins = triple.sentence.start + triple.span_start
        return min(end, triple.sentence.start + triple.span_end) - max(start, begins)

    same = [one for one in triples if one.sentence.turn_id == fact.said_in_id and key_of(one.value) in told]
    return max((one for one in same if start >= 0 and shared(one) > 0), key=shared, default=None)


@transaction.atomic
def facts_close(session_id: int) -> None:
    """Close the facts of a session whose triples were replaced; what rested on them falls."""
    session = session_lock(session_id) if Session.objects.filter(pk=session_id).exists() else None
    if session is None:
        return
    gone = open_facts(session.space_id).filter(session=session, triple__superseded_at__isnull=False)
    rows = gone.select_related("triple__superseded_by__sentence").order_by("pk")
    evidence = [Withdrawn(element=row.key, words=words_of(row.triple)) for row in rows]
    if evidence:
        before = state_load(session.pk)
        state_write(session, difference(before, revise(before, evidence, turn=before.turn)), before=before)


def words_of(triple: TripleRecord | None) -> str:
    """Return the words that took a triple's place."""
    by = triple.superseded_by if triple is not None else None
    return by.sentence.text if by is not None else TAKEN_BACK
