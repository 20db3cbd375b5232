"""Draws items from the live conversations of a space: replies, their facts, conflicts of the memory, messages of people.

An item goes with what it shows, so that nothing is kept that was forgotten: a fact's with each ground of it, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.contrib.auth.models import User
from django.db.models import Exists, Min, OuterRef, Prefetch, Q, Subquery
from django.db.models.functions import Greatest

from conversations.models import Reply
from evaluation.core.annotation.drafts import ItemDraft
from evaluation.core.errors import AnnotationRefused
from evaluation.core.reply_facts.types import GroundKind, Verdict
from evaluation.models import (
    AnnotationItem,
    AnnotationProject,
    CheckState,
    FactGround,
    FactRecord,
    ScoreState,
    TurnScore,
)
from evaluation.selectors.facts import facts_in
from evaluation.services.annotation.corrections import CONFLICT_KIND, Decision
from evaluation.services.annotation.files.writing import MESSAGE_KIND
from evaluation.services.annotation.from_runs import RATING_KIND
from evaluation.services.annotation.overrides import FACT_KIND
from evaluation.services.annotation.sampling import Sample, sample_add, sample_check
from memory.core.knowledge_graph.verbalisation import sentence
from memory.core.types import BY_HAND, Role
from memory.models import IS_REPLY, ConflictRecord, Space, TripleRecord, Turn
from memory.selectors.owned import with_both_sides
from memory.services.edits.stamps import conflict_stamp
from memory.services.edits.wording import assertion_of_row

GROUND_TITLES = {
    GroundKind.TRIPLE: "Remembered",
    GroundKind.SENTENCE: "Said before",
    GroundKind.PASSAGE: "Passage",
    GroundKind.KNOWLEDGE: "Knowledge",
}
DECIDED = {Decision.SUPERSEDED: "replaces", Decision.KEPT: "old_stands", Decision.BOTH: "both_hold"}
CONTENT_PART, TITLE_LONGEST = 4_000, 200


def conversations_sample(*, project: AnnotationProject, by: User, sample: Sample) -> int:
    """Add items drawn from what was said in the project's space, and return how many are new.

    The machine is unsure of what it gave a low probability, and of what it did not decide. Machines disagree where several
    verifiers checked a reply, and where a person decided a conflict otherwise. Raises `AnnotationRefused`.
    """
    sample_check(project, by, sample)
    if project.kind not in SOURCES:
        raise AnnotationRefused(f"Nothing of a conversation is for a project of the kind {project.kind}.")
    found, drafts, nothing = SOURCES[project.kind]
    candidates = found(project.space, sample)
    if not candidates:
        raise AnnotationRefused(nothing)
    chosen = {int(one.key): one for one in sample.drawn(candidates)}
    return sample_add(project=project, by=by, drafts=drafts(chosen))


def facts_found(space: Space, sample: Sample) -> list[ItemDraft]:
    rows = facts_in(space).filter(sample.within("check_of__turn__said_at"))
    others: dict[tuple[int, str], list[str]] = defaultdict(list)
    checked = FactRecord.objects.filter(check_of__space=space, check_of__state=CheckState.CHECKED)
    for turn, text, verdict in checked.values_list("check_of__turn_id", "text", "verdict"):
        others[turn, text].append(verdict)
    return [
        ItemDraft(
            key=str(pk),
            content={},
            stratum=verdict,
            uncertainty=0.0 if verdict == Verdict.NOT_A_CLAIM else 1 - (0.5 if probability is None else probability),
            disagreement=apart(others[turn, text]),
        )
        for pk, text, verdict, probability, turn in rows.values_list(
            "pk", "text", "verdict", "probability", "check_of__turn_id"
        )
    ]


def apart(verdicts: Sequence[str]) -> float:
    """Return the share of the verdicts that are not the most frequent one."""
    return 1 - max(Counter(verdicts).values()) / len(verdicts)


def facts_drafted(chosen: Mapping[int, ItemDraft]) -> list[ItemDraft]:
    grounds = Prefetch("check_of__grounds", FactGround.objects.select_related("turn").defer("turn__search"))
    rows = FactRecord.objects.filter(pk__in=chosen).select_related("check_of__turn").defer("check_of__turn__search")
    return [
        replace(
            chosen[fact.pk],
            key=f"fact-{fact.pk}",
            content={
                "fact": fact.text,
                "dialogue": dialogue_of(fact.check_of.grounds.all()),
                "evidence": evidence_of(fact.check_of.grounds.all()),
            },
            cluster=f"session-{fact.check_of.turn.session_id}",
            machine={"verdict": fact.verdict},
            machine_by=fact.check_of.verifier,
            source={"speaker": fact.check_of.turn.speaker},
            turn=fact.check_of.turn_id,
            fact=fact.pk,
        )
        for fact in rows.prefetch_related(grounds).order_by("pk")
    ]


def dialogue_of(grounds: Iterable[FactGround]) -> list[dict[str, str]]:
    """Return the turns that a reply was held against, each once, as they were."""
    turns = {one.turn_id: one for one in grounds if one.kind == GroundKind.TURN}
    return [
        {"speaker": one.turn.speaker, "text": one.words[-CONTENT_PART:]}
        for one in turns.values()
        if one.turn is not None
    ]


def evidence_of(grounds: Iterable[FactGround]) -> list[dict[str, str]]:
    return [
        {
            "title": (one.title or one.speaker or GROUND_TITLES[GroundKind(one.kind)])[:TITLE_LONGEST],
            "text": one.words[:CONTENT_PART],
        }
        for one in grounds
        if one.kind != GroundKind.TURN
    ]


def conflicts_found(space: Space, sample: Sample) -> list[ItemDraft]:
    rows = ConflictRecord.objects.filter(sample.within("created_at"), space=space)
    return [
        ItemDraft(
            key=str(pk),
            content={},
            stratum=rule,
            uncertainty=0.0 if confidence is None else 1 - confidence,
            disagreement=float(by is not None),
        )
        for pk, rule, confidence, by in rows.values_list("pk", "rule", "confidence", "decided_by")
    ]


def conflicts_drafted(chosen: Mapping[int, ItemDraft]) -> list[ItemDraft]:
    rows = with_both_sides(ConflictRecord.objects.filter(pk__in=chosen)).order_by("pk")
    return [
        replace(
            chosen[one.pk],
            key=f"conflict-{one.pk}",
            content={"new": words_of(one.new), "old": words_of(one.old), "said": [said_of(one.old), said_of(one.new)]},
            cluster=f"session-{one.new.sentence.turn.session_id}",
            # What a person decided is no answer of a machine.
            machine=None if one.decided_by_id is not None else {"verdict": DECIDED[Decision(one.decision)]},
            machine_by="" if one.decided_by_id is not None else one.rule,
            source={"seen": conflict_stamp(one)},
            conflict=one.pk,
        )
        for one in rows
    ]


def words_of(row: TripleRecord) -> str:
    return sentence(assertion_of_row(row), asker="")


def said_of(row: TripleRecord) -> dict[str, str]:
    turn = row.sentence.turn
    return {
        "title": f"{turn.speaker}, {turn.said_at:%-d %B %Y}"[:TITLE_LONGEST],
        "text": row.sentence.text[:CONTENT_PART],
    }


def messages_found(space: Space, sample: Sample) -> list[ItemDraft]:
    told = TripleRecord.objects.filter(sentence__turn=OuterRef("pk"))
    rows = Turn.objects.filter(sample.within("said_at"), space=space, role=Role.USER, is_generated=False)
    rows = rows.exclude(session__key=BY_HAND).exclude(round__is_wish=True).exclude(text="")
    rows = rows.annotate(has_facts=Exists(told), least=Min("sentences__triples__confidence"))
    return [
        ItemDraft(
            str(pk), {}, stratum="facts" if has_facts else "none", uncertainty=0.0 if least is None else 1 - least
        )
        for pk, has_facts, least in rows.values_list("pk", "has_facts", "least")
    ]


def replies_found(space: Space, sample: Sample) -> list[ItemDraft]:
    """Return the replies to messages by their way of answering; unsure is the model that judged their consistency."""
    score = TurnScore.objects.filter(turn=OuterRef("pk"), state=ScoreState.SCORED).order_by("-scored_at")
    sure = score.values_list(Greatest("entailment", "neutral", "contradiction"))[:1]
    way = Reply.objects.filter(round=OuterRef("round"), is_current=True).values("responder")[:1]
    rows = Turn.objects.filter(IS_REPLY, sample.within("said_at"), space=space, index__gt=0).exclude(text="")
    found = rows.annotate(way=Subquery(way), sure=Subquery(sure)).values_list("pk", "way", "sure")
    return [
        ItemDraft(str(pk), {}, stratum=way or "", uncertainty=0.0 if sure is None else 1 - sure)
        for pk, way, sure in found
    ]


def messages_drafted(chosen: Mapping[int, ItemDraft]) -> list[ItemDraft]:
    return [
        replace(one, key=f"turn-{turn.pk}", content={"message": turn.text, "before": before.text if before else ""})
        for one, turn, before in with_turns(chosen)
    ]


def replies_drafted(chosen: Mapping[int, ItemDraft]) -> list[ItemDraft]:
    return [
        replace(
            one,
            key=f"reply-{turn.pk}",
            content={
                "reply": turn.text,
                "dialogue": [{"speaker": before.speaker, "text": before.text}] if before else [],
            },
            source={"speaker": turn.speaker},
        )
        for one, turn, before in with_turns(chosen)
    ]


def with_turns(chosen: Mapping[int, ItemDraft]) -> Iterator[tuple[ItemDraft, Turn, Turn | None]]:
    """Yield the drafts that were drawn of turns, each with its turn and the one before it, whose beginning may be cut."""
    before = Turn.objects.filter(session=OuterRef("session"), index=OuterRef("index") - 1)
    turns = Turn.objects.filter(pk__in=chosen).defer("search").annotate(earlier=Subquery(before.values("pk")[:1]))
    earlier = Turn.objects.defer("search").in_bulk([turn.earlier for turn in turns if turn.earlier is not None])
    for turn in turns.order_by("pk"):
        if (shown := earlier.get(turn.earlier)) is not None:
            shown.text = shown.text[-CONTENT_PART:]
        draft = replace(chosen[turn.pk], cluster=f"session-{turn.session_id}", turn=turn.pk, before=turn.earlier)
        yield draft, turn, shown


Found = Callable[[Space, Sample], list[ItemDraft]]
Drafted = Callable[[Mapping[int, ItemDraft]], list[ItemDraft]]
# By the kind of project: what can be drawn, as drafts that hold an id as their key, those drawn as whole drafts, and what
# is said where nothing can.
SOURCES: Mapping[str, tuple[Found, Drafted, str]] = {
    FACT_KIND: (
        facts_found,
        facts_drafted,
        "No reply of these days was checked. Switch on “Check what replies state” in the menu of a conversation: the replies "
        "that it gets from then on can be drawn.",
    ),
    CONFLICT_KIND: (conflicts_found, conflicts_drafted, "The memory met no conflict in these days."),
    RATING_KIND: (replies_found, replies_drafted, "Nothing was replied in these days."),
    MESSAGE_KIND: (messages_found, messages_drafted, "Nobody wrote a message in these days."),
}


def grounds_forget(*, check_id: int) -> None:
    """Delete, in the caller's transaction, the items that show a ground of a check which is being forgotten."""
    AnnotationItem.objects.filter(fact__check_of=check_id).delete()


def turn_forget(*, turn_id: int) -> None:
    """Delete, in the caller's transaction, the items that show a turn whose words are being forgotten."""
    AnnotationItem.objects.filter(Q(turn=turn_id) | Q(before=turn_id)).delete()
