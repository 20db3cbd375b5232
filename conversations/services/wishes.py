"""Does what a message wishes of the memory: forgets, takes back, puts another value in place; and says what was done.

Each is a service of memory, with its own checks, audit and undo. Where several facts are meant, none is touched and they are
shown. What cannot be undone is asked first: forgetting names each fact and sentence that would go, and waits for a yes. A
wish is no statement: its round is not learnt. What was done is told from the reply that stored it with the change, so that a
wish is carried out once, however often its message is answered.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.contrib.postgres.search import SearchQuery
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from conversations.core import wishes
from conversations.core.responders.deltas import deltas
from conversations.core.types import Changed, Delta, Grounds, GroundSentence, GroundTriple, Query, ReplyPart, Stage
from conversations.core.wishes import Wish, WishKind
from conversations.models import Reply, ReplyState
from conversations.models.reply import WOULD_GO, turn_key
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, clause, joined
from memory.core.naming import key_of
from memory.core.types import Modality, Role, SourceSentence, Triple
from memory.models import AliasRecord, EditRecord, SentenceRecord, Space, TripleRecord, Turn
from memory.services.edits.audit import EditRefused
from memory.services.edits.correct import triple_correct, triple_retract
from memory.services.edits.forget_many import Going, memory_forget, what_goes, words_gone
from memory.services.edits.wording import quoted
from memory.services.leases import Lease
from memory.services.spaces import space_lock
from memory.stores import source_of, triples_of
from memory.stores.reading import any_word_of

Part = ReplyPart | Changed
LOOKED_AT = 300
SHOWN = 5
# What a reply can name one by one; more is looked at on a page.
ASKED_AT_ONCE = 30
CHANGED = (
    "What would be forgotten has changed since I asked, so nothing was forgotten. Please say again what to forget."
)
KEPT = "Nothing was forgotten."
UNREMEMBERED = "This chat is not remembered, and nothing that is said in it changes your memory."
NOTHING_MEANT = "I know nothing that this could mean, so nothing was changed."
NO_UNDO = "This cannot be undone."


@dataclass(frozen=True)
class WishReply:
    """Carries out a wish for the person who asked, in the space of the conversation, while it holds the reply's lease."""

    wish: Wish
    query: Query
    reply: Reply
    lease: Lease

    @property
    def _space(self) -> Space:
        return self.reply.conversation.space

    @property
    def _by(self) -> User:
        return self.reply.conversation.owner

    def parts(self) -> Iterator[Part] | None:
        """Return the reply's parts; None where nothing is meant and the message may just as well tell something."""
        if not self.query.is_remembered:
            return said(UNREMEMBERED)
        match self.wish.kind:
            case WishKind.FORGET:
                return self._forget()
            case WishKind.WRONG:
                return self._take_back(self._denied())
            case _:
                told = wishes.with_value(self.wish.words, self._valued())
                return self._correct(self._preferred(told)) if told else None

    def _forget(self) -> Iterator[Part]:
        if not self.wish.words:
            return said(f"To forget everything, open [the settings of this memory]({self._settings()}).")
        facts, sentences = self._meant_facts(), self._meant_sentences()
        ids = {one.id for one in facts}
        going = what_goes(self._space, triples=ids, sentences=[one.id for one in sentences], with_words=True)
        if going.is_empty:
            return said(NOTHING_MEANT)
        if len(going.triples) + len(going.sentences) > ASKED_AT_ONCE:
            return self._chosen_on_a_page(facts, sentences, going)
        return self._asked(
            self._facts(TripleRecord.objects.filter(pk__in=going.triples)),
            sources_of(SentenceRecord.objects.filter(pk__in=going.sentences)),
            going,
        )

    def forget_asked(self, asked: Reply) -> Iterator[Part]:
        """Forget what an earlier reply asked about, if that is still all that would go; the reply loses its words, too."""
        triples = frozenset(asked.triples_used.filter(why=WOULD_GO).values_list("triple", flat=True))
        sentences = frozenset(asked.sentences_used.filter(why=WOULD_GO).values_list("sentence", flat=True))
        with self._changing():
            going = what_goes(self._space, triples=triples, sentences=sentences)
            if (going.triples, going.sentences) != (triples, sentences):
                return said(CHANGED)
            gone = memory_forget(space=self._space, by=self._by, seen=going.stamp, triples=triples, sentences=sentences)
            question_redact(asked, f"Shall I forget {gone.counted} for good?")
            self._done(f"Forgotten for good: {gone.counted}. {NO_UNDO}")
        return self._told_outcome()

    def _take_back(self, facts: Sequence[Triple]) -> Iterator[Part]:
        if not facts:
            return said(NOTHING_MEANT)
        if len(facts) > 1:
            return self._which(facts)
        [fact] = facts
        with self._changing():
            triple_retract(triple=TripleRecord.objects.get(pk=fact.id), by=self._by)
            self._done(f"I took back that {self._told(fact)}.", edit=self._last_edit())
        return self._told_outcome()

    def _correct(self, facts: Sequence[Triple]) -> Iterator[Part]:
        if len(facts) > 1:
            return self._which(facts)
        row = TripleRecord.objects.select_related("subject", "object").get(pk=facts[0].id)
        with self._changing():
            heard = Turn.objects.get(round=self.reply.round_id, role=Role.USER)
            new = triple_correct(triple=row, value=self.wish.value, by=self._by, heard=heard)
            [right] = self._facts(TripleRecord.objects.filter(pk=new.pk))
            self._done(f"Corrected: {self._told(right)}, not {facts[0].object}.", edit=self._last_edit())
        return self._told_outcome()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction for a change and its outcome, which no other worker can make meanwhile. Raises `LeaseLost`."""
        with transaction.atomic():
            space_lock(self._space.pk)
            self.lease.check()
            yield

    def _done(self, outcome: str, *, edit: EditRecord | None = None) -> None:
        """Store what was done, in the transaction that does it."""
        self.reply.outcome, self.reply.edit = outcome, edit
        self.reply.save(update_fields=["outcome", "edit"])

    def _told_outcome(self) -> Iterator[Part]:
        return said(self.reply.outcome, Changed(self.reply.edit_id))

    def _last_edit(self) -> EditRecord:
        """Return the edit that was just made, in its transaction, which holds the space's lock."""
        return EditRecord.objects.filter(space=self._space).latest("pk")

    def _meant_facts(self) -> list[Triple]:
        found = self._facts(self._active().filter(self._worded("sentence__") | self._named()))
        return wishes.meant(self.wish.words, found, speaker=self.query.speaker, at=self.query.asked_at)

    def _meant_sentences(self) -> list[SourceSentence]:
        """Return the sentences that say it, questions and replies that repeat it included."""
        rows = SentenceRecord.objects.filter(self._worded(), space=self._space)
        return wishes.meant_sentences(self.wish.words, sources_of(rows), speaker=self.query.speaker)

    def _denied(self) -> list[Triple]:
        """Return the facts that are called wrong: those that the words deny, or without words those that were last told."""
        if self.wish.words:
            return self._meant_facts()
        before = Reply.objects.filter(conversation=self.reply.conversation, round__index__lt=self.reply.round.index)
        last = before.filter(is_current=True, round__aside_with=None).order_by("-round__index").first()
        if last is None:
            return []
        used = Q(used_by__reply=last) | Q(round=last.round_id)
        return self._facts(self._active().filter(used).distinct())

    def _valued(self) -> list[Triple]:
        keys = {key_of(self.wish.words), key_of(wishes.bare(self.wish.words))}
        return self._facts(self._active().filter(Q(value_key__in=keys) | Q(object__label__iexact=self.wish.words)))

    def _preferred(self, facts: Sequence[Triple]) -> list[Triple]:
        """Return the facts about the person who asks, if any of several are."""
        own = [one for one in facts if key_of(one.subject.label) == key_of(self.query.speaker)]
        return own if len(facts) > 1 and own else list(facts)

    def _settings(self) -> str:
        return reverse("space-settings", args=[self._space.pk])

    def _active(self) -> QuerySet[TripleRecord]:
        return TripleRecord.objects.filter(space=self._space, superseded_at=None, modality=Modality.ASSERTED)

    def _facts(self, rows: QuerySet[TripleRecord]) -> list[Triple]:
        return triples_of(rows.order_by("-pk")[:LOOKED_AT])

    def _worded(self, path: str = "") -> Q:
        query = SearchQuery(any_word_of(self.wish.words), search_type="websearch", config="english")
        return Q(**{f"{path}search": query})

    def _named(self) -> Q:
        keys = {key_of(word) for word in self.wish.words.split()} | {key_of(self.wish.words)}
        ends = AliasRecord.objects.filter(space=self._space, key__in=keys - {""}).values("entity")
        return Q(subject__in=ends) | Q(object__in=ends)

    def _told(self, fact: Triple) -> str:
        return clause([assertion_of_triple(fact, at=self.query.asked_at)], asker=self.query.speaker)

    def _which(self, facts: Sequence[Triple]) -> Iterator[Part]:
        shown = joined([self._told(one) for one in facts[:SHOWN]])
        more = f" (and {len(facts) - SHOWN} more)" if len(facts) > SHOWN else ""
        grounds = Grounds(tuple(GroundTriple(one, "may be meant") for one in facts[:SHOWN]))
        return said(
            f"That may mean several things, so nothing was changed: {shown}{more}. Say which, or choose one below.",
            Changed(),
            grounds,
        )

    def _asked(self, facts: Sequence[Triple], sentences: Sequence[SourceSentence], going: Going) -> Iterator[Part]:
        """Return the question whether all of this is to be forgotten, with each fact and sentence that would go."""
        mine = {one.id: "my reply " for one in sentences if one.role is Role.ASSISTANT}
        said_so = [one.shown if one.by_hand else mine.get(one.id, "") + quoted(one.text) for one in sentences]
        lines = [f"- {one}" for one in (*map(self._told, facts), *said_so)]
        grounds = Grounds(
            tuple(GroundTriple(one, WOULD_GO) for one in facts),
            tuple(GroundSentence(one, WOULD_GO) for one in sentences),
        )
        told = "\n".join(lines)
        return said(
            f"Shall I forget {going.counted} for good? {NO_UNDO}\n\n{told}\n\nSay yes to forget all of this.",
            Changed(),
            grounds,
        )

    def _chosen_on_a_page(
        self, facts: Sequence[Triple], sentences: Sequence[SourceSentence], going: Going
    ) -> Iterator[Part]:
        """Return that too much is meant for a chat, with the page that shows what would go."""
        kind, rows = ("triples", facts) if facts else ("sentences", sentences)
        address = reverse("memory-forget", args=[self._space.pk])
        chosen = urlencode([("kind", kind), *(("row", str(one.id)) for one in rows)])
        return said(
            f"That would forget {going.counted} for good, which is too much to list here. Nothing was forgotten yet. "
            f"[Look at what would go]({address}?{chosen}) and choose.",
        )


def sources_of(rows: QuerySet[SentenceRecord]) -> list[SourceSentence]:
    """Return the newest of some sentences."""
    found = rows.select_related("turn").defer("embedding", "search", "turn__search").order_by("-pk")
    return [source_of(row) for row in found[:LOOKED_AT]]


def question_redact(asked: Reply, left: str) -> None:
    """Put other words in the place of a question that told what is forgotten now, in the caller's transaction."""
    turn = Turn.objects.filter(session=asked.round.session_id, key=turn_key(asked.pk)).first()
    if turn is not None:
        before, turn.text = turn.text, left
        turn.save(update_fields=["text"])
        words_gone(turn, before)


def asked_before(reply: Reply, *, said_at: datetime) -> Reply | None:
    """Return the reply before this one if it asked whether to forget something, whole, before the message was sent."""
    before = Reply.objects.filter(conversation=reply.conversation_id, round__index__lt=reply.round.index)
    last = before.filter(is_current=True, round__aside_with=None).order_by("-round__index").first()
    if last is None or last.state != ReplyState.DONE or last.finished_at is None or last.finished_at > said_at:
        return None
    return last if last.asks_to_forget else None


def said(text: str, *first: Part) -> Iterator[Part]:
    yield Stage("change", "changing your memory")
    yield from first or (Changed(),)
    yield from deltas(text, is_first=True)


def wish_parts(query: Query, reply: Reply, *, lease: Lease) -> Iterator[Part] | None:
    """Return the parts of a reply that carries out the wish of a message; None where it has none."""
    done = Reply.objects.filter(round=reply.round_id, edit__undone_at=None).exclude(outcome="").order_by("-pk").first()
    if done is not None:
        return said(done.outcome, Changed(done.edit_id))
    wish, confirms = wishes.wish_of(query.text), wishes.confirmed(query.text)
    asked = asked_before(reply, said_at=query.asked_at) if confirms is not None else None
    try:
        if asked is not None:
            asking = WishReply(Wish(WishKind.FORGET), query, reply, lease)
            return asking.forget_asked(asked) if confirms else said(KEPT)
        return WishReply(wish, query, reply, lease).parts() if wish is not None else None
    except EditRefused as refusal:
        parts: list[Part] = [Changed(), Delta(str(refusal))]
        return iter(parts)
