"""Finds what a stored reply's facts can be held against in its space: triples, remembered sentences, the dialogue before it.

All as of the reply: nothing that was said later, and what had been replaced by then does not hold. The product's own replies
are no grounds (decision 21), nor is what was read out of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q

from conversations.core.responders.tg_drg import names_in
from evaluation.core.reply_facts.types import FoundGround, GroundKind, ReplyToCheck
from evaluation.core.turn_consistency.types import Passage, tells_what_was
from evaluation.services.holding import StoredHolding
from memory import bootstrap
from memory.core.bm25 import Bm25Index
from memory.core.english.grammatical_person import as_the_other_says
from memory.core.errors import EmbedderChanged
from memory.core.grounded_generation.verification import Ground
from memory.core.knowledge_graph.statement.third_person import told_of
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, sentence
from memory.core.types import Modality, ParsedSentence, Role, Span, Tense, Triple, Unit
from memory.models import SentenceRecord, TripleRecord, Turn
from memory.selectors.as_of import not_replaced_as_of
from memory.stores.reading import taken_back
from memory.stores.rows import TRIPLE_COLUMNS, TRIPLE_RELATIONS, triple_of

TURNS, TURN_CHARACTERS = 10, 4_000
SENTENCES, SENTENCES_A_FACT = 16, 3
TRIPLES, CANDIDATES = 16, 400


@dataclass(frozen=True)
class StoredReply:
    """An assistant's turn with its round, who asked, and the turns before it that count, oldest first."""

    turn: Turn
    asker: str
    before: tuple[Turn, ...]

    @property
    def to_check(self) -> ReplyToCheck:
        return ReplyToCheck(self.turn.text, self.turn.speaker, tuple(one.text for one in self.before))

    def speaker_for(self, turn: Turn) -> str:
        """Return who a verifier is to take a turn's "I" for: what an assistant said needs no other person."""
        return self.turn.speaker if turn.role == Role.ASSISTANT else turn.speaker


def stored_reply(turn: Turn) -> StoredReply:
    """Return a stored turn and the latest turns of its session before it that the product did not write, in one query."""
    rows = Turn.objects.filter(session_id=turn.session_id, index__lt=turn.index, is_generated=False).defer("search")
    before = tuple(reversed(rows.order_by("-index")[:TURNS]))
    asker = next((one.speaker for one in reversed(before) if one.role == Role.USER), "")
    return StoredReply(turn, asker, before)


@dataclass(frozen=True)
class TripleGrounds:
    """Implements `GroundSource` by the triples of who asked and of what the facts name; those that were replaced are past."""

    reply: StoredReply

    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        turn = self.reply.turn
        with transaction.atomic(savepoint=False):
            named = bootstrap.space_memory(turn.space_id).entities_named([*names_in(facts), self.reply.asker])
            entities = {one.id for found in named.values() for one in found}
            about = Q(subject__in=entities) | Q(object__in=entities)
            rows = TripleRecord.objects.filter(about, space=turn.space_id, round__lte=turn.round_id)
            rows = rows.filter(modality=Modality.ASSERTED, sentence__turn__is_generated=False)
            rows = rows.filter(not_replaced_as_of(turn) | ~taken_back()).annotate(
                is_held=ExpressionWrapper(not_replaced_as_of(turn), output_field=BooleanField())
            )
            rows = rows.select_related(*TRIPLE_RELATIONS).only(*TRIPLE_COLUMNS).order_by("-id")[:CANDIDATES]
            found = {row.pk: self._ground(triple_of(row), is_held=row.is_held) for row in rows}
        alike = Bm25Index({one: found[one].ground.text for one in found}).search(" ".join(facts), limit=TRIPLES)
        best = list(dict.fromkeys([*(one for one, _ in alike), *found]))[:TRIPLES]
        return [found[one] for one in best]

    def _ground(self, triple: Triple, *, is_held: bool) -> FoundGround:
        # What has been superseded since held then.
        then = replace(triple, superseded_at=None) if is_held else triple
        told = assertion_of_triple(then, at=self.reply.turn.said_at)
        words = sentence(told, asker=self.reply.asker)
        is_past = told.is_former or told.tense is Tense.PAST
        return FoundGround(GroundKind.TRIPLE, Ground(words), triple.id, is_past=is_past)


@dataclass(frozen=True)
class SaidGrounds:
    """Implements `GroundSource` by the remembered sentences nearest to a reply's facts and by the dialogue before it."""

    reply: StoredReply

    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        remembered, dialogue = self._remembered(facts), self._dialogue()
        stored = [*remembered, *(one for some in dialogue.values() for one in some)]
        left = StoredHolding(self.reply.turn, self.reply.asker)([place_of(one) for one in stored])
        parses = dict(zip(stored, bootstrap.parser().parse_many([one.text for one in stored]), strict=True))
        found = [
            FoundGround(
                GroundKind.SENTENCE,
                self._ground(one.turn, {one: parses[one]}, left),
                one.pk,
                one.text,
                is_past=tells_what_was(parses[one]),
            )
            for one in remembered
        ]
        for turn in self.reply.before:
            words = turn.text[-TURN_CHARACTERS:]
            if not dialogue[turn.pk]:
                ground = Ground(words, speaker=self.reply.speaker_for(turn))
                found.append(FoundGround(GroundKind.TURN, ground, turn.pk, words))
            for is_past in (False, True):
                some = {one: parses[one] for one in dialogue[turn.pk] if tells_what_was(parses[one]) is is_past}
                found.append(FoundGround(GroundKind.TURN, self._ground(turn, some, left), turn.pk, words, is_past))
        return [one for one in found if one.ground.text]

    def _remembered(self, facts: Sequence[str]) -> list[SentenceRecord]:
        """Return the sentences nearest to each fact, in the order of their ranks, said by the time of the reply."""
        found = nearest_sentences(self.reply.turn.space_id, facts)
        order = dict.fromkeys(
            one for rank in range(SENTENCES_A_FACT) for some in found for one in some[rank : rank + 1]
        )
        rows = SentenceRecord.objects.filter(turn__round__lte=self.reply.turn.round_id).select_related("turn")
        rows = rows.exclude(turn__in=[one.pk for one in self.reply.before]).defer("embedding", "search", "turn__search")
        there = rows.in_bulk(list(order))
        return [there[one] for one in order if one in there][:SENTENCES]

    def _dialogue(self) -> dict[int, list[SentenceRecord]]:
        """Return the sentences of each turn before the reply; those of a session that is not remembered are not stored."""
        rows = SentenceRecord.objects.filter(turn__in=[one.pk for one in self.reply.before]).defer(
            "embedding", "search"
        )
        found: dict[int, list[SentenceRecord]] = defaultdict(list)
        for one in rows.select_related("turn").defer("turn__search").order_by("turn", "index"):
            found[one.turn_id].append(one)
        return found

    def _ground(
        self, turn: Turn, sentences: Mapping[SentenceRecord, ParsedSentence], left: Mapping[Passage, str]
    ) -> Ground:
        """Return sentences of a turn as far as they hold: with their speaker, or retold where that is not all of it."""
        speaker = self.reply.speaker_for(turn)
        is_plain = speaker in (self.reply.asker, self.reply.turn.speaker) and all(one.is_own for one in sentences)
        if is_plain and not any(place_of(one) in left for one in sentences):
            return Ground(" ".join(one.text for one in sentences)[-TURN_CHARACTERS:], speaker=speaker)
        words = (
            left[place_of(one)] if place_of(one) in left else self._retold(one, parsed, speaker)
            for one, parsed in sentences.items()
        )
        return Ground(" ".join(filter(None, words))[-TURN_CHARACTERS:])

    def _retold(self, one: SentenceRecord, parsed: ParsedSentence, speaker: str) -> str:
        """Return a sentence as the reply would say it: to who asked "you", of others by their names."""
        if not one.is_own or speaker == self.reply.turn.speaker:
            return one.text
        return as_the_other_says(one.text) if speaker == self.reply.asker else told_of(parsed, speaker)


def place_of(one: SentenceRecord) -> Passage:
    return Passage(one.turn_id, Span(one.start, one.end))


def nearest_sentences(space_id: int, facts: Sequence[str]) -> list[list[int]]:
    """Return the ids of the sentences nearest to each fact; by its words where another embedder made the vectors."""
    index = bootstrap.dialogue_index(space_id)
    try:
        vectors = index.embed(facts)
    except EmbedderChanged:
        found = [index.matching(Unit.SENTENCE, fact, limit=SENTENCES_A_FACT) for fact in facts]
    else:
        found = [index.nearest(Unit.SENTENCE, vector, limit=SENTENCES_A_FACT) for vector in vectors]
    return [[one.id for one in some] for some in found]
