"""Reads of conversations for pages, sockets and the API. Another person's conversation is `DoesNotExist`."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.contrib.postgres.search import SearchHeadline, SearchQuery
from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import MD5

from conversations.core.tracing.answered import Answered, Answering
from conversations.core.tracing.proof import Outcome, ProofSearch
from conversations.core.tracing.stage import Stage
from conversations.models import Conversation, Reply, ReplyEvent, ReplyKnowledge, ReplySentence, ReplyTrace, ReplyTriple
from conversations.models.reply import TERMINAL_STATES
from memory.core.types import Role
from memory.models import EditRecord, Round, Session, Space, StepRecord, Turn
from memory.selectors.owned import undoable
from memory.selectors.tracing import maintenance_use, model_use

HIT_LIMIT = 30
MARK_START, MARK_END = "\x02", "\x03"
# Steps that tell that a question stayed unknown, as their index has it, and those of them that nothing said later settled.
# A proof's `Outcome.UNKNOWN` is stored as the same word.
STAYED_UNKNOWN = Q(figures__outcome=Answering.UNKNOWN)
IS_OPEN = Q(figures__settled_in=None) | Q(figures__settled_in__isnull=True)


@dataclass(frozen=True)
class Versions:
    """The versions of a round by their ids, oldest first, and which of them (`number`, from 1) the round is."""

    ids: tuple[int, ...]
    number: int

    @property
    def before(self) -> int | None:
        return self.ids[self.number - 2] if self.number > 1 else None

    @property
    def after(self) -> int | None:
        return self.ids[self.number] if self.number < len(self.ids) else None


@dataclass(frozen=True)
class RoundView:
    """One round of a transcript.

    `reply` is the current generation, None in an imported round; `reply_text` is what was answered, empty while nothing is.
    """

    round: Round
    user_turn: Turn | None
    reply: Reply | None
    reply_text: str
    versions: Versions


@dataclass(frozen=True)
class SearchHit:
    """A turn that matches a search; the snippet marks the matching words with `MARK_START` and `MARK_END`."""

    conversation: Conversation
    turn: Turn
    snippet: str


def accessible(user: User) -> QuerySet[Conversation]:
    """Return the user's own conversations over spaces that the user is still a member of."""
    return Conversation.objects.filter(owner=user, space__memberships__user=user)


def conversations_of(user: User, archived: bool = False) -> QuerySet[Conversation]:
    rows = accessible(user).filter(archived_at__isnull=not archived)
    return rows.select_related("session").order_by("-updated_at", "-id")


def conversation_of(user: User, conversation_id: int) -> Conversation:
    return accessible(user).select_related("session", "space", "owner").get(pk=conversation_id)


def conversations_matching(user: User, query: str) -> list[SearchHit]:
    """Return the newest turns of the user's conversations that match a web-style query."""
    asked = SearchQuery(query, search_type="websearch", config="english")
    turns = (
        Turn.objects.filter(session__conversation__in=accessible(user), search=asked)
        .select_related("session__conversation")
        .defer("search")
        .annotate(
            snippet=SearchHeadline(
                "text", asked, config="english", start_sel=MARK_START, stop_sel=MARK_END, max_words=24, min_words=12
            )
        )
        .order_by("-said_at")[:HIT_LIMIT]
    )
    return [SearchHit(turn.session.conversation, turn, turn.snippet) for turn in turns]


def transcript(
    conversation: Conversation, limit: int = 50, before: int | None = None, since: int = 0
) -> list[RoundView]:
    """Return the newest rounds, oldest first, in a bounded number of queries.

    Only those with an index under `before` and not under `since`.
    """
    rounds = Round.objects.filter(session_id=conversation.session_id, index__gte=since)
    if before is not None:
        rounds = rounds.filter(index__lt=before)
    rounds = (
        rounds.annotate(maintenance_use=maintenance_use())
        .order_by("-index")
        .prefetch_related(
            Prefetch("turns", queryset=Turn.objects.defer("search").order_by("index")),
            Prefetch("replies", queryset=with_grounds(Reply.objects.filter(is_current=True))),
        )[:limit]
    )
    versions = versions_of(rounds)
    return [round_view(round, versions[round.pk]) for round in reversed(rounds)]


def versions_of(rounds: Iterable[Round]) -> dict[int, Versions]:
    """Return the versions of each round, in no query where none has several."""
    rounds = list(rounds)
    found: dict[int, list[int]] = {round.version_of_id: [] for round in rounds if round.version_of_id is not None}
    if found:
        rows = Round.everything.filter(version_of__in=found).order_by("pk")
        for round in rows.only("version_of"):
            found[round.version_of_id or 0].append(round.pk)
    ids = {round.pk: tuple(found.get(round.version_of_id or 0, [round.pk])) for round in rounds}
    return {pk: Versions(several, several.index(pk) + 1) for pk, several in ids.items()}


def version_in(user: User, round_id: int) -> Round:
    """Return a round of the user's own conversations, shown or put aside."""
    rounds = Round.everything.filter(session__conversation__in=accessible(user))
    return rounds.select_related("session__conversation").get(pk=round_id)


def round_view(round: Round, versions: Versions) -> RoundView:
    """Return the view of a round whose turns and current reply are prefetched."""
    words = round.turns.all()
    asked = next((turn for turn in words if turn.role == Role.USER), None)
    reply = next(iter(round.replies.all()), None)
    answered = "\n\n".join(turn.text for turn in words if turn is not asked)
    return RoundView(round, asked, reply, reply.text if reply is not None else answered, versions)


def reply_of(user: User, reply_id: int) -> Reply:
    rows = with_grounds(Reply.objects.filter(conversation__in=accessible(user)))
    return rows.select_related("conversation", "round").get(pk=reply_id)


def replies_of(user: User) -> QuerySet[Reply]:
    return Reply.objects.filter(conversation__in=accessible(user)).select_related("conversation")


def events_after(reply: Reply, number: int, *, limit: int | None = None) -> list[ReplyEvent]:
    """Return the events of a reply after a number, with their progress lines, and always the one that ended it.

    The ending event is returned whatever number a page believes to have seen, so that it never waits for ever.
    """
    is_end = Q(kind="state", data__state__in=TERMINAL_STATES)
    return with_lines(ReplyEvent.objects.filter(Q(number__gt=number) | is_end, reply=reply).order_by("number")[:limit])


def with_lines(events: Iterable[ReplyEvent]) -> list[ReplyEvent]:
    """Put progress lines into the events of steps; they are stored once, with the steps."""
    ordered = list(events)
    told: dict[tuple[int, int], ReplyEvent] = {}
    for event in ordered:
        if event.kind == "reset":
            told = {place: other for place, other in told.items() if place[0] != event.reply_id}
        told |= {(event.reply_id, number): event for number in event.data.get("steps", ())}
    stages = StepRecord.objects.filter(kind=Stage.kind, words__has_key="detail")
    found = stages.filter(
        trace__replytrace__reply__in={reply_id for reply_id, _ in told}, number__in={number for _, number in told}
    )
    if told:
        for reply_id, number, line in found.order_by("number").values_list(
            "trace__replytrace__reply", "number", "words__detail"
        ):
            if (reply_id, number) in told:
                event = told[reply_id, number]
                event.data = {**event.data, "line": line}
    return ordered


def shown_replies(user: User, space: Space) -> QuerySet[Reply]:
    """Return the replies of the user's conversations over a space, without those of versions that are put aside."""
    return Reply.objects.filter(conversation__in=accessible(user).filter(space=space), round__aside_with=None)


def traces_in(
    user: User, space: Space, *, before: int | None = None, as_of: Turn | None = None, session: Session | None = None
) -> QuerySet[Reply]:
    """Return the user's traced replies over a space, newest first: before one of them, up to a turn, of a session."""
    asked = Turn.objects.filter(round=OuterRef("round"), role=Role.USER).order_by("index")
    replies = with_trace(shown_replies(user, space))
    if before is not None:
        replies = replies.filter(pk__lt=before)
    if as_of is not None:
        replies = replies.filter(round__lte=as_of.round_id)
    if session is not None:
        replies = replies.filter(round__session=session)
    steps = StepRecord.objects.filter(trace__replytrace__reply=OuterRef("pk")).order_by().values("trace")
    return (
        replies.filter(is_told())
        .select_related("conversation")
        .annotate(
            question=Subquery(asked.values("text")[:1]),
            step_count=Subquery(steps.annotate(count=Count("pk")).values("count")),
        )
        .order_by("-pk")
    )


def unknowns_in(
    user: User, space: Space, *, before: int | None = None, as_of: Turn | None = None, session: Session | None = None
) -> QuerySet[StepRecord]:
    """Return the answers and searches for proofs over a space that left the user's question unknown, newest first.

    One is left out once it is settled, and as soon as the same question was answered later: it is known now, or that answer
    tells what is not. Each has its reply (`reply_id`), the conversation and the round of it, whether that is remembered, and
    when it began (`created_at`).
    """
    replies = shown_replies(user, space)
    if as_of is not None:
        replies = replies.filter(round__lte=as_of.round_id)
    ended = StepRecord.objects.filter(
        kind__in=[ProofSearch.kind, Answered.kind],
        trace__replytrace__reply__in=replies,
        figures__outcome__in=[Outcome.PROVED, Outcome.UNKNOWN, Answering.KNOWN, Answering.UNKNOWN],
    ).annotate(asked=MD5(KT("words__asked")))
    later = ended.order_by().filter(space=space, words__has_key="asked", asked=OuterRef("asked"), pk__gt=OuterRef("pk"))
    unknown = ended.filter(STAYED_UNKNOWN, space=space, words__has_key="asked").exclude(Exists(later))
    unknown = unknown.filter(IS_OPEN if as_of is None else IS_OPEN | Q(figures__settled_in__gt=as_of.round_id))
    if before is not None:
        unknown = unknown.filter(pk__lt=before)
    if session is not None:
        unknown = unknown.filter(trace__round__session=session)
    reply = F("trace__replytrace__reply")
    return unknown.annotate(
        reply_id=reply,
        conversation_id=F("trace__replytrace__reply__conversation"),
        round_id=F("trace__round"),
        is_remembered=F("trace__round__session__is_remembered"),
    ).order_by("-pk")


def reply_trace(reply: Reply) -> ReplyTrace | None:
    """Return the trace of a reply, or None where it has no step yet."""
    return ReplyTrace.objects.filter(reply=reply.pk).first()


def is_told() -> Exists:
    """Return the condition that a reply's trace has more than stages and what the reply says itself."""
    steps = StepRecord.objects.filter(trace__replytrace__reply=OuterRef("pk"))
    return Exists(steps.exclude(kind__in=[Stage.kind, Answered.kind]))


def with_trace(replies: QuerySet[Reply]) -> QuerySet[Reply]:
    """Annotate replies with whether their trace has more than stages, and with their use of language models."""
    return replies.annotate(is_traced=is_told(), model_use=model_use(trace__replytrace__reply=OuterRef("pk")))


def with_grounds(replies: QuerySet[Reply]) -> QuerySet[Reply]:
    """Prefetch what the replies rest on, each with its words."""
    triples = ReplyTriple.objects.select_related(
        "triple__subject", "triple__object", "triple__sentence__turn", "triple__superseded_by"
    ).defer("triple__sentence__embedding", "triple__sentence__search", "triple__sentence__turn__search")
    sentences = ReplySentence.objects.select_related("sentence__turn").defer(
        "sentence__embedding", "sentence__search", "sentence__turn__search"
    )
    return with_trace(replies).prefetch_related(
        Prefetch("triples_used", queryset=triples),
        Prefetch("sentences_used", queryset=sentences),
        Prefetch("knowledge_used", queryset=ReplyKnowledge.objects.select_related("base")),
        Prefetch("edit", queryset=undoable(EditRecord.objects.all())),
    )
