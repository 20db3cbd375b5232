"""What a reader of a round is shown beside its words: what was said before, across sessions, and what is known of it.

All of it is found by index, a bounded number of each, so that the cost does not grow with the space.
"""

from memory import bootstrap
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.types import Modality, Role, RoundToRead, Triple, Utterance
from memory.models import TripleRecord, Turn
from memory.services.round_words import RoundReading, said_in
from memory.stores import triples_of

# Of the turns before a round so many are shown; where its session has fewer, those of the sessions before it come along.
TURNS_BEFORE = 6
LIKE_SENTENCES = 6
NEAR_TRIPLES = 12
NEWEST_TRIPLES = 8


def round_to_read(reading: RoundReading) -> RoundToRead:
    """Return a round with what its reader needs to know who and what its words mean."""
    context = reading.context
    earlier = turns_of_earlier_sessions(reading, limit=TURNS_BEFORE - len(context))
    return RoundToRead(tuple(reading.said), (*earlier, *context), tuple(known_of(reading)))


def turns_of_earlier_sessions(reading: RoundReading, *, limit: int) -> list[Utterance]:
    if limit <= 0 or not reading.turns:
        return []
    before = Turn.objects.filter(
        round__space=reading.space, round__session__is_remembered=True, pk__lt=reading.turns[0].pk
    ).exclude(session=reading.round.session_id)
    return [said_in(turn) for turn in reversed(before.defer("search").order_by("-pk")[:limit])]


def known_of(reading: RoundReading) -> list[str]:
    """Return what holds about the things that the round's people speak of, each in a sentence, the newest last."""
    words = [said for said in reading.said if said.role is Role.USER]
    if not words:
        return []
    space_id = reading.round.space_id
    text = " ".join(said.text for said in words)
    like = bootstrap.space_memory(space_id).sentences_like(text, limit=LIKE_SENTENCES)
    near = bootstrap.graph_walker(space_id).triples_from([one.sentence.id for one in like], limit=NEAR_TRIPLES)
    found: dict[int, Triple] = {triple.id: triple for triple in (*near, *newest_told(reading, words[0].speaker))}
    return [
        triple_text(triple, asker="", at=words[-1].said_at)
        for triple in sorted(found.values(), key=lambda triple: triple.id)
        if triple.round_id != reading.round.pk
    ]


def newest_told(reading: RoundReading, speaker: str) -> list[Triple]:
    active = TripleRecord.objects.filter(
        space_id=reading.round.space_id, superseded_at=None, modality=Modality.ASSERTED, said_by=speaker
    )
    return triples_of(active.order_by("-id")[:NEWEST_TRIPLES])
