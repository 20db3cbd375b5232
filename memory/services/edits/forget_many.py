"""Forgets many facts or sentences at once: the person first sees what will be deleted; then all of it goes or nothing.

Forgetting a sentence also deletes what was extracted from it, its vector and its words in the turn; forgetting a fact that
was written by hand deletes its words. Everything happens in one transaction of a bounded size.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from memory import events
from memory.core.types import BY_HAND
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    HeldFragmentRecord,
    Round,
    SentenceRecord,
    Space,
    TripleRecord,
    Turn,
)
from memory.services.edits.audit import EditRefused, edit_write
from memory.services.edits.journal import Journal
from memory.services.edits.stamps import EditOutdated, stamp
from memory.services.edits.utterances import emptied_session_delete
from memory.services.forgetting import Forgotten, aliases_withdraw, entities_prune, held_forget
from memory.services.semantic_state import state_words_forget
from memory.services.sentence_graph import words_withdraw
from memory.services.spaces import space_lock
from memory.services.tracing import session_traces_forget, version_traces_forget

AT_ONCE = 1000
FORGOTTEN_WORDS = "[forgotten]"


@dataclass(frozen=True)
class Going:
    """The ids of what a selection deletes, whose words they are, and the names of entities that nothing else mentions.

    `rounds` were written by hand and rest on nothing else. `kept_words` is true where facts are deleted and their sentences
    stay.
    """

    triples: frozenset[int]
    sentences: frozenset[int]
    rounds: frozenset[int]
    entities: frozenset[int]
    speakers: tuple[str, ...]
    replaced: int
    conflicts: int
    held: int
    kept_words: bool

    @property
    def stamp(self) -> str:
        ids = (sorted(group) for group in (self.triples, self.sentences, self.rounds, self.entities))
        return stamp(*ids, self.conflicts, self.held)

    @property
    def counted(self) -> str:
        """Return the numbers in words, such as "2 facts and 1 sentence"; empty where nothing will be deleted."""
        numbers = ((len(self.triples), "fact"), (len(self.sentences), "sentence"))
        return " and ".join(f"{number:,} {word}{'s'[: number != 1]}" for number, word in numbers if number)

    @property
    def is_empty(self) -> bool:
        return not self.triples and not self.sentences


def what_goes(
    space: Space, *, triples: Collection[int] = (), sentences: Collection[int] = (), with_words: bool = False
) -> Going:
    """Return what will be deleted if these facts and sentences of the space are forgotten; rows of other spaces are left out.

    `with_words` adds the sentences that the facts were extracted from, and with them everything else extracted from those.
    Raises `EditRefused` for more than `AT_ONCE` rows.
    """
    if len(triples) + len(sentences) > AT_ONCE:
        raise EditRefused(f"At most {AT_ONCE:,} can be forgotten at once. Choose fewer, and go on afterwards.")
    facts = TripleRecord.objects.filter(space=space)
    chosen = facts.filter(pk__in=triples)
    words = set(SentenceRecord.objects.filter(space=space, pk__in=sentences).values_list("pk", flat=True))
    if with_words:
        words |= set(chosen.values_list("sentence_id", flat=True))
    going = facts.filter(Q(pk__in=triples) | Q(sentence__in=words))
    rows = list(going.values_list("pk", "subject_id", "object_id", "superseded_at", "round_id", "said_by"))
    ids = frozenset(row[0] for row in rows)
    rounds = rounds_by_hand(ids, {row[4] for row in rows})
    words |= set(SentenceRecord.objects.filter(turn__round__in=rounds).values_list("pk", flat=True))
    speakers = set(SentenceRecord.objects.filter(pk__in=words).values_list("turn__speaker", flat=True))
    clashes = ConflictRecord.objects.filter(Q(old__in=ids) | Q(new__in=ids))
    return Going(
        triples=ids,
        sentences=frozenset(words),
        rounds=rounds,
        entities=silenced({end for row in rows for end in row[1:3] if end is not None}, ids),
        speakers=tuple(sorted(speakers | {row[5] for row in rows})),
        replaced=sum(row[3] is not None for row in rows),
        conflicts=clashes.count(),
        held=HeldFragmentRecord.objects.filter(sentence__in=words).count(),
        kept_words=any(row[4] not in rounds for row in rows) and not with_words and not sentences,
    )


def rounds_by_hand(triples: Collection[int], rounds: Collection[int]) -> frozenset[int]:
    """Return those of the rounds that were written by hand and hold nothing but these triples."""
    others = TripleRecord.objects.filter(round=OuterRef("pk")).exclude(pk__in=triples)
    by_hand = Round.objects.filter(~Exists(others), pk__in=rounds, session__key=BY_HAND, held_fragments=None)
    return frozenset(by_hand.values_list("pk", flat=True))


def silenced(entities: Collection[int], triples: Collection[int]) -> frozenset[int]:
    """Return those of the entities that only these triples mention."""
    others = TripleRecord.objects.exclude(pk__in=triples)
    rows = EntityRecord.objects.filter(
        ~Exists(others.filter(subject=OuterRef("pk"))), ~Exists(others.filter(object=OuterRef("pk"))), pk__in=entities
    )
    return frozenset(rows.values_list("pk", flat=True))


@transaction.atomic
def memory_forget(
    *,
    space: Space,
    by: User,
    triples: Collection[int] = (),
    sentences: Collection[int] = (),
    with_words: bool = False,
    seen: str = "",
) -> Going:
    """Delete facts and sentences for good and return what was deleted; the audit log keeps no words of them.

    `seen` is the stamp of the list that the person saw. If something else would be deleted by now, `EditOutdated` is raised
    and nothing is deleted. Triples that the facts superseded are not restored.
    """
    space_lock(space.pk)
    going = what_goes(space, triples=triples, sentences=sentences, with_words=with_words)
    if seen and seen != going.stamp:
        raise EditOutdated("This changed meanwhile, and nothing was forgotten. See below what would go now.")
    if going.is_empty:
        return going
    ends = {
        end
        for pair in TripleRecord.objects.filter(pk__in=going.triples).values_list("subject_id", "object_id")
        for end in pair
        if end is not None
    }
    rounds = frozenset(TripleRecord.objects.filter(pk__in=going.triples).values_list("round_id", flat=True))
    held_forget(going.triples)
    TripleRecord.objects.filter(pk__in=going.triples).delete()
    forgotten = Forgotten(triples=going.triples, rounds=rounds) | words_forget(space, going)
    forgotten |= entities_prune(ends)
    forgotten.scrub(space.pk)
    version_traces_forget(rounds)
    edit_write(Journal(space.pk), kind=EditRecord.Kind.FORGET, summary=f"Forgot {going.counted} at once.", by=by)
    return going


def words_forget(space: Space, going: Going) -> Forgotten:
    """Delete the sentences, their words in their turns, the names that they gave, and rounds written by hand."""
    forgotten = Forgotten(rounds=going.rounds, sentences=frozenset(going.sentences))
    forgotten |= aliases_withdraw(going.rounds)
    words_withdraw(space.pk, round_ids=going.rounds)
    Round.objects.filter(pk__in=going.rounds).delete()
    emptied_session_delete(space.pk)
    rows = SentenceRecord.objects.filter(pk__in=going.sentences).defer("embedding", "search")
    gone: dict[int, list[SentenceRecord]] = {}
    for row in rows.order_by("turn_id", "-start"):
        gone.setdefault(row.turn_id, []).append(row)
    turns = list(Turn.objects.filter(pk__in=gone).defer("search"))
    words_withdraw(space.pk, round_ids={turn.round_id for turn in turns}, sentence_ids=going.sentences)
    for turn in turns:
        forgotten |= names_withdraw(turn.round_id, gone[turn.pk])
        turn_redact(turn, gone[turn.pk])
    Round.objects.filter(turns__in=gone).update(statement="")
    return forgotten


def names_withdraw(round_id: int, sentences: Collection[SentenceRecord]) -> Forgotten:
    """Delete the names that the round gave in these words, except a name that is its entity's label."""
    said = " ".join(sentence.text for sentence in sentences).casefold()
    given = AliasRecord.objects.filter(source_round=round_id).select_related("entity")
    spare = frozenset(alias.pk for alias in given if alias.text.casefold() in said and alias.text != alias.entity.label)
    AliasRecord.objects.filter(pk__in=spare).delete()
    return Forgotten(aliases=spare, rounds=frozenset({round_id}))


def turn_redact(turn: Turn, sentences: Collection[SentenceRecord]) -> None:
    """Replace sentences, given last to first, in their turn's text by `FORGOTTEN_WORDS`; shift the spans of the others."""
    before = turn.text
    kept = list(
        SentenceRecord.objects.filter(turn=turn).exclude(pk__in=[one.pk for one in sentences]).only("start", "end")
    )
    for sentence in sentences:
        turn.text = turn.text[: sentence.start] + FORGOTTEN_WORDS + turn.text[sentence.end :]
        shift = len(FORGOTTEN_WORDS) - (sentence.end - sentence.start)
        for other in kept:
            if other.start >= sentence.end:
                other.start, other.end = other.start + shift, other.end + shift
    SentenceRecord.objects.filter(pk__in=[one.pk for one in sentences]).delete()
    SentenceRecord.objects.bulk_update(kept, ["start", "end"])
    turn.save(update_fields=["text"])
    session_traces_forget(session_id=turn.session_id)
    state_words_forget(turn=turn, before=before)
    words_gone(turn, before)
    versions_redact(turn, {sentence.text for sentence in sentences})


def versions_redact(turn: Turn, texts: Collection[str]) -> None:
    """Replace the same sentences in the turns of the session that are put aside: they would be read again with these."""
    said = reduce(or_, (Q(text__contains=text) for text in texts))
    for other in Turn.everything.filter(said, session=turn.session_id, is_aside=True).defer("search"):
        before = other.text
        for text in texts:
            other.text = other.text.replace(text, FORGOTTEN_WORDS)
        other.save(update_fields=["text"])
        words_gone(other, before)


def words_gone(turn: Turn, before: str) -> None:
    events.words_forgotten.send(
        sender=None, session_id=turn.session_id, turn_id=turn.pk, before=before, after=turn.text
    )
