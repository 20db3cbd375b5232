"""What the tools do, each by the services that pages and the API use. Every row is looked for in the caller's space alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from conversations.bootstrap import responder_check
from conversations.core.errors import MessageRefused
from conversations.core.wishes import wish_of
from conversations.doors.callers import Caller
from conversations.doors.mcp.results import (
    About,
    Answer,
    Change,
    Changes,
    Corrected,
    ForgottenRows,
    Recalled,
    Remembered,
)
from conversations.doors.shown import KnowledgeUsed, fact_of, sentence_of
from conversations.services.asking import question_ask
from conversations.services.messages import checked_message
from memory import bootstrap
from memory.adapters.wakeups import wait_until
from memory.core.english.grammatical_person import MYSELF
from memory.core.naming import key_of
from memory.core.types import Modality, Role
from memory.models import AliasRecord, ConflictRecord, MaintenanceState, Round, Session, TripleRecord
from memory.selectors import entities_called, triple_record_of, with_parts
from memory.services import session_create, space_maintain, triple_correct
from memory.services.accounts import speaker_name
from memory.services.added_engines import engine_offered_check
from memory.services.edits.audit import EditRefused
from memory.services.edits.correct import triple_retract
from memory.services.edits.forget_many import memory_forget
from memory.services.maintenance import learnt_topic
from memory.services.recording import turn_record
from memory.trace_views.base import Reading, blocks_of

SIMILAR = 10
LATELY = timedelta(days=7)
OPEN = (MaintenanceState.WAITING, MaintenanceState.HEARING, MaintenanceState.PENDING, MaintenanceState.RUNNING)


@dataclass(frozen=True)
class Tools:
    """The tools for one caller; one that `reads_itself` has no worker beside it that reads what is told."""

    caller: Caller
    reads_itself: bool = False

    @property
    def speaker(self) -> str:
        return speaker_name(self.caller.user)

    def remember(self, text: str, *, said_at: datetime | None = None, key: str = "") -> Remembered:
        """Store a text as the caller's words and return what was read from it. Raises `MessageRefused`, `TurnRefused`."""
        self.caller.may("write")
        words, now = checked_message(text), timezone.now()
        if wish_of(words) is not None:
            raise MessageRefused("This asks to change the memory and states nothing. Use correct or forget for it.")
        day = timezone.localdate(now)
        session = self._told_in(key) or session_create(
            space=self.caller.space, started_at=now, title="Told by a program", key=f"{self._sessions}{day}"
        )
        recorded = turn_record(
            session=session,
            speaker=self.speaker,
            role=Role.USER,
            text=words,
            said_at=min(said_at, now) if said_at else now,
            key=key,
            ends_round=True,
        )
        return self._read(recorded.turn.round)

    @property
    def _sessions(self) -> str:
        """How the keys of the caller's sessions begin; each day has one."""
        return f"mcp {self.caller.user.pk} "

    def _told_in(self, key: str) -> Session | None:
        """Return the session in which the key came before: what is sent again after midnight is not stored twice."""
        sessions = Session.objects.filter(space=self.caller.space, key__startswith=self._sessions)
        return sessions.filter(turns__key=key, turns__role=Role.USER).first() if key else None

    def _read(self, round: Round) -> Remembered:
        """Return what a round taught once it was read, or that it is still to be read."""
        if self.reads_itself:
            space_maintain(space_id=self.caller.space.pk)
        rounds = Round.objects.filter(pk=round.pk)
        wait_until(
            lambda: not rounds.filter(maintenance__in=OPEN).exists(),
            topic=learnt_topic(round),
            within_s=settings.DSMART_MEMORY_WAIT_S,
        )
        round = rounds.get()
        if round.maintenance in OPEN:
            return Remembered(state="pending", facts=[], replaced=[], note="It is stored, and will be read soon.")
        return Remembered(
            state="failed" if round.maintenance == MaintenanceState.FAILED else "learnt",
            facts=[fact_of(row) for row in self._facts(superseded_at=None, round=round)],
            replaced=[fact_of(row) for row in self._facts(superseded_in=round)],
            note=round.maintenance_error,
        )

    def recall(self, query: str, *, limit: int) -> Recalled:
        """Return the sentences nearest to a query, with the facts that were read from them and hold."""
        self.caller.may("read")
        hits = bootstrap.space_memory(self.caller.space.pk).sentences_like(query, limit=limit)
        ids = [hit.sentence.id for hit in hits]
        return Recalled(
            sentences=[sentence_of(hit.sentence) for hit in hits],
            facts=[fact_of(row) for row in self._facts(superseded_at=None, sentence__in=ids)],
        )

    def ask_with_proof(self, question: str, *, responder: str, engine: str) -> Answer:
        """Return an answer with its proof; nothing is stored. Raises what the responder raises."""
        self.caller.may("read")
        if engine:
            engine_offered_check(name=engine, space=self.caller.space)
        responder_check(responder, engine=engine)
        answer = question_ask(
            space_id=self.caller.space.pk,
            question=checked_message(question),
            asked_by=self.speaker,
            asked_at=timezone.localtime(),
            responder=responder,
            engine=engine,
        )
        why = {ground.triple.id: ground.why for ground in answer.grounds.triples}
        blocks = blocks_of(answer.trace, Reading(self.caller.space.pk, reader=self.speaker))
        known = [(one.triple, one.why) for one in answer.grounds.knowledge]
        return Answer(
            text=answer.text,
            proof=[line for block in blocks for line in block.lines],
            facts=[fact_of(row, why=why[row.pk]) for row in self._facts(pk__in=why)],
            sentences=[sentence_of(one.sentence, why=one.why) for one in answer.grounds.sentences],
            knowledge=[
                KnowledgeUsed(
                    source=triple.source,
                    subject=triple.subject,
                    predicate=triple.relation,
                    value=triple.object,
                    why=said,
                )
                for triple, said in known
            ],
        )

    def facts_about(self, name: str, *, include_replaced: bool, limit: int) -> About:
        """Return the facts that name somebody or something; "me" is whom the caller acts for."""
        self.caller.may("read")
        called = self.speaker if name.strip().lower() in {*MYSELF, "me", "you"} else name
        ends = AliasRecord.objects.filter(space=self.caller.space, key=key_of(called)).values("entity")
        rows = self._facts(Q(subject__in=ends) | Q(object__in=ends), modality=Modality.ASSERTED)
        if not include_replaced:
            rows = rows.filter(superseded_at=None)
        found = list(rows[: limit + 1])
        similar = [] if found else entities_called(self.caller.user, self.caller.space, name)[:SIMILAR]
        return About(
            facts=[fact_of(row) for row in found[:limit]],
            has_more=len(found) > limit,
            similar=[entity.label for entity in similar],
        )

    def what_changed(self, *, since: datetime | None, limit: int) -> Changes:
        """Return what ended and what was added since a time, by default the last seven days."""
        self.caller.may("read")
        begin = since or timezone.now() - LATELY
        ended = list(self._facts(superseded_at__gte=begin).order_by("-superseded_at", "-pk")[:limit])
        ids = {row.superseded_by_id for row in ended if row.superseded_by_id is not None}
        successors = with_parts(TripleRecord.objects.filter(pk__in=ids)).in_bulk()
        rules = dict(ConflictRecord.objects.filter(old__in=ended).order_by("pk").values_list("old", "rule"))
        return Changes(
            since=begin,
            ended=[
                Change(
                    at=row.superseded_at,
                    fact=fact_of(row),
                    replaced_by=fact_of(successors[row.superseded_by_id]) if row.superseded_by_id else None,
                    rule=rules.get(row.pk, ""),
                )
                for row in ended
                if row.superseded_at is not None
            ],
            added=[fact_of(row) for row in self._facts(superseded_at=None, recorded_at__gte=begin)[:limit]],
        )

    def correct(
        self, fact: int, *, value: str | None, predicate: str | None, subject: str | None, is_wrong: bool
    ) -> Corrected:
        """Put a fact right, or take it back where it is only wrong. Raises `EditRefused`."""
        self.caller.may("write")
        row = self._facts().get(pk=fact)
        if is_wrong and (value or predicate or subject):
            raise EditRefused("Say either what is right or that it is wrong, not both.")
        if not (is_wrong or value or predicate or subject):
            raise EditRefused(
                "Say what is right: a value, a predicate or a subject. Where it is only wrong, send is_wrong."
            )
        if is_wrong:
            triple_retract(triple=row, by=self.caller.user)
            return Corrected(fact=None)
        new = triple_correct(triple=row, by=self.caller.user, value=value, predicate=predicate, subject=subject)
        return Corrected(fact=fact_of(triple_record_of(self.caller.user, new.pk)))

    def forget(self, *, facts: Collection[int], sentences: Collection[int], with_words: bool) -> ForgottenRows:
        """Delete facts and sentences for good. Raises `EditRefused` where the space has none of them."""
        self.caller.may("write")
        gone = memory_forget(
            space=self.caller.space, by=self.caller.user, triples=facts, sentences=sentences, with_words=with_words
        )
        if gone.is_empty:
            raise EditRefused("None of these is in this memory, and nothing was forgotten.")
        return ForgottenRows(facts=len(gone.triples), sentences=len(gone.sentences))

    def _facts(self, *conditions: Q, **fields: object) -> QuerySet[TripleRecord]:
        rows = TripleRecord.objects.filter(*conditions, space=self.caller.space, **fields)
        return with_parts(rows).order_by("-pk")
