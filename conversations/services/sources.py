"""Keeps what replies rest on while the words of it are put aside with a version, and finds it again once they are learnt.

A source is kept by its place: the turn, where its sentence begins, and a digest of the fact. It holds no words, so that it
tells nothing of what is forgotten meanwhile, and is then found no more.
"""

from collections.abc import Collection

from conversations.events import sources_found
from conversations.models import ReplySentence, ReplySourceAside, ReplyTriple
from memory.models import SentenceRecord, TripleRecord
from memory.services.edits.refusals import refused_fact


def sources_keep(round_ids: Collection[int]) -> None:
    """Keep the sources of replies that are in these rounds, in the caller's transaction, before these are put aside."""
    facts = ReplyTriple.objects.filter(triple__round__in=round_ids).select_related(
        "triple__subject", "triple__sentence"
    )
    words = ReplySentence.objects.filter(sentence__turn__round__in=round_ids).select_related("sentence")
    ReplySourceAside.objects.bulk_create(
        [
            *(aside(one, one.triple.sentence, fact=digest_of(one.triple)) for one in facts.defer(*HEAVY_OF_FACTS)),
            *(aside(one, one.sentence) for one in words.defer("sentence__embedding", "sentence__search")),
        ]
    )


def sources_find(round_id: int) -> None:
    """Let replies rest again on what a round taught, in the caller's transaction, which ends the learning of it."""
    kept = list(ReplySourceAside.objects.filter(turn__round=round_id).select_related("reply"))
    if not kept:
        return
    sentences = SentenceRecord.objects.filter(turn__round=round_id)
    places = sentences.values_list("pk", "turn_id", "start")
    words = {(turn_id, start, ""): pk for pk, turn_id, start in places}
    triples = TripleRecord.objects.filter(round=round_id).select_related("subject", "sentence")
    facts = {
        (one.sentence.turn_id, one.sentence.start, digest_of(one)): one.pk
        for one in triples.defer("sentence__embedding", "sentence__search")
    }
    ReplyTriple.objects.bulk_create(
        ReplyTriple(reply_id=one.reply_id, triple_id=facts[place], rank=one.rank, why=one.why)
        for one in kept
        if (place := (one.turn_id, one.start, one.fact)) in facts
    )
    ReplySentence.objects.bulk_create(
        ReplySentence(reply_id=one.reply_id, sentence_id=words[place], rank=one.rank, why=one.why)
        for one in kept
        if (place := (one.turn_id, one.start, one.fact)) in words
    )
    ReplySourceAside.objects.filter(pk__in=[one.pk for one in kept]).delete()
    for conversation_id in {one.reply.conversation_id for one in kept}:
        replies = {one.reply_id for one in kept if one.reply.conversation_id == conversation_id}
        sources_found(conversation_id=conversation_id, reply_ids=replies)


HEAVY_OF_FACTS = ("triple__sentence__embedding", "triple__sentence__search")


def aside(ground: ReplyTriple | ReplySentence, sentence: SentenceRecord, *, fact: str = "") -> ReplySourceAside:
    return ReplySourceAside(
        reply_id=ground.reply_id,
        turn_id=sentence.turn_id,
        start=sentence.start,
        fact=fact,
        rank=ground.rank,
        why=ground.why,
    )


def digest_of(triple: TripleRecord) -> str:
    return refused_fact(
        triple.space_id,
        subject=triple.subject.label,
        predicate=triple.predicate,
        value=triple.value,
        polarity=triple.polarity,
    )
