"""Chats that other programs exported become conversations, whose words are learnt like any other.

What is stored carries the export's own ids: a chat the key of its session, a message that of its turn. So the same file adds
nothing twice, a newer export adds what is new at the end, and an import that was stopped or killed goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from conversations.core.chat_exports.catalogue import FORMS, ChatExport
from conversations.core.chat_exports.types import Chat, ChatMessage, LeftOut
from conversations.core.wishes import wish_of
from conversations.models import Conversation, TitleBy
from memory.core.types import Role
from memory.models import ActRecord, ImportJobRecord, Session, Space, Turn
from memory.services import session_create
from memory.services.accounts import speaker_name
from memory.services.acts import act_record
from memory.services.dialogue import session_lock
from memory.services.import_jobs import Kind, State, Telling, job_begin, job_create, job_work
from memory.services.quotas import import_count
from memory.services.recording import RoundToRecord, TurnToRecord, rounds_record

# So many chats are offered by name; the others are chosen by when they began.
LISTED = 500
# Of larger chats fewer are held at once.
CHATS_AT_ONCE, CHARACTERS_AT_ONCE = 50, 8_000_000
# So many reasons for which something is left out are told before kinds that nobody knows are counted together.
REASONS = 30


@dataclass(frozen=True)
class Choices:
    """What of an export is imported, and how: chats that began on a day or later, those of some keys, all where None.

    With `remember` off nothing is learnt of them. `replies` are the other program's turns: they are scored where it is on.
    """

    since: date | None = None
    keys: frozenset[str] | None = None
    remember: bool = True
    replies: bool = False

    def takes(self, chat: Chat) -> bool:
        if self.keys is not None and chat.key not in self.keys:
            return False
        return self.since is None or (chat.started_at is not None and chat.started_at.date() >= self.since)

    def as_json(self) -> dict[str, Any]:
        since = self.since.isoformat() if self.since else None
        return asdict(self) | {"since": since, "keys": sorted(self.keys) if self.keys is not None else None}

    @staticmethod
    def of_json(told: Mapping[str, Any]) -> Choices:
        since = date.fromisoformat(told["since"]) if told["since"] else None
        keys = frozenset(told["keys"]) if told["keys"] is not None else None
        return Choices(**{**told, "since": since, "keys": keys})


@dataclass
class Preview:
    """What is in an export: how much, from when to when, what is left out and why, and what of it is here already."""

    forms: Counter[str] = field(default_factory=Counter)
    chats: int = 0
    messages: int = 0
    known_messages: int = 0
    first: datetime | None = None
    last: datetime | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    listed: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)
    empty: set[tuple[str, str]] = field(default_factory=set)

    def add(self, chat: Chat, known: int) -> None:
        for why, count in chat.left_out.items():
            is_told = isinstance(why, LeftOut) or why in self.left_out or len(self.left_out) < REASONS
            self.left_out[why if is_told else LeftOut.OTHERS] += count
        self.forms[chat.form] += bool(chat.form)
        if not chat.messages:
            self.empty |= {chat.whole} if chat.key else set()
            return
        self.chats += chat.whole not in self.seen
        self.seen.add(chat.whole)
        self.messages += len(chat.messages)
        self.known_messages += known
        moments = [one.said_at for one in chat.messages if one.said_at is not None]
        self.first = min(filter(None, (self.first, *moments)), default=None)
        self.last = max(filter(None, (self.last, *moments)), default=None)
        if chat.whole in self.listed:
            self.listed[chat.whole]["messages"] += len(chat.messages)
        elif len(self.listed) < LISTED:
            began = chat.started_at.date().isoformat() if chat.started_at else ""
            told = {"key": chat.key, "title": chat.title, "began": began, "messages": len(chat.messages)}
            self.listed[chat.whole] = told

    @property
    def form(self) -> str:
        """The form of most entries."""
        return self.forms.most_common(1)[0][0] if self.forms else ""

    def as_json(self) -> dict[str, Any]:
        return {
            "form": self.form,
            "program": " and ".join(FORMS[form].NAME for form, _ in (+self.forms).most_common()),
            "chats": self.chats,
            "messages": self.messages,
            "known_messages": self.known_messages,
            "first": self.first.date().isoformat() if self.first else "",
            "last": self.last.date().isoformat() if self.last else "",
            "left_out": [{"what": str(what), "count": count} for what, count in self.left_out.most_common()],
            "listed": list(self.listed.values()),
        }


@dataclass
class ChatsImported:
    """What an import added, and what of the file was here already."""

    conversations: int = 0
    messages: int = 0
    known_messages: int = 0

    def __str__(self) -> str:
        if not self.messages:
            return (
                "Everything that was chosen was here already."
                if self.known_messages
                else "There was nothing to import."
            )
        return self.counted

    @property
    def counted(self) -> str:
        told = f"{self.messages:,} message{'' if self.messages == 1 else 's'} in "
        told += f"{self.conversations:,} conversation{'' if self.conversations == 1 else 's'}."
        return (
            f"{told} {self.known_messages:,} {'was' if self.known_messages == 1 else 'were'} here already."
            if self.known_messages
            else told
        )


ImportProgress = Callable[[float, ChatsImported], None]


def export_preview(*, space: Space, owner: User, export: ChatExport) -> Preview:
    """Read a whole export and return what is in it. Raises `ImportRefused`; nothing is stored."""
    preview = Preview()
    for chats in parts_of(export):
        here = turns_known(space, owner, chats)
        for chat in chats:
            preview.add(chat, sum(one.key in here.get(chat.whole, ()) for one in chat.messages))
    preview.left_out += Counter({LeftOut.EMPTY: len(preview.empty - preview.seen)})
    return preview


def chats_import(
    *,
    space: Space,
    owner: User,
    export: ChatExport,
    choices: Choices = Choices(),
    on_progress: ImportProgress = lambda share, added: None,
) -> ChatsImported:
    """Import the chosen chats of an export, some at a time, and return what was added.

    Raises `ImportRefused` where the file cannot be read on; what was imported before stays.
    """
    added, touched = ChatsImported(), set[int]()
    for chats in parts_of(export):
        here = turns_known(space, owner, chats)
        for chat in filter(choices.takes, chats):
            known = here.get(chat.whole, frozenset())
            new = [one for one in chat.messages if one.key not in known]
            added.known_messages += len(chat.messages) - len(new)
            if new:
                session, stored = chat_store(chat, new, space=space, owner=owner, choices=choices)
                touched.add(session.pk)
                added.messages += stored
                added.conversations = len(touched)
            on_progress(export.share, added)
    return added


def parts_of(export: ChatExport) -> Iterator[list[Chat]]:
    """Yield the chats some at a time, those of one form and key as one, with only what may be a message here."""
    joined, characters = dict[tuple[str, str], Chat](), 0
    for number, chat in enumerate(map(within_limits, export.chats()), start=1):
        earlier = joined.get(chat.whole)
        joined[chat.whole] = chat if earlier is None else joined_chat(earlier, chat)
        characters += sum(len(one.text) for one in chat.messages)
        if number % CHATS_AT_ONCE == 0 or characters > CHARACTERS_AT_ONCE:
            yield list(joined.values())
            joined, characters = {}, 0
    if joined:
        yield list(joined.values())


def joined_chat(first: Chat, second: Chat) -> Chat:
    said = {one.key: one for one in (*first.messages, *second.messages)}
    left = Counter(first.left_out) + Counter(second.left_out)
    started_at = first.started_at or second.started_at
    return replace(first, started_at=started_at, messages=tuple(said.values()), left_out=left)


def within_limits(chat: Chat) -> Chat:
    """Return a chat without messages that are too long, and each message once."""
    said = {one.key: one for one in chat.messages if len(one.text) <= settings.DSMART_MESSAGE_LIMIT}
    too_long = sum(len(one.text) > settings.DSMART_MESSAGE_LIMIT for one in chat.messages)
    left = Counter(chat.left_out) + Counter({LeftOut.TOO_LONG: too_long})
    return replace(chat, messages=tuple(said.values()), left_out=left)


def turns_known(space: Space, owner: User, chats: Sequence[Chat]) -> dict[tuple[str, str], Collection[str]]:
    """Return the keys of the messages of some chats that the space has, by the form and key of the chat."""
    keys = {session_key(owner, chat): chat.whole for chat in chats if chat.messages}
    rows = Turn.everything.filter(session__space=space, session__key__in=keys).values_list("session__key", "key")
    here: dict[tuple[str, str], set[str]] = {}
    for session, turn in rows:
        here.setdefault(keys[session], set()).add(turn)
    return dict(here)


def session_key(owner: User, chat: Chat) -> str:
    """Return the key of a chat's session: two people who import one chat into one memory have it each."""
    return f"{chat.form}:{owner.pk}:{chat.key}"


@transaction.atomic
def chat_store(
    chat: Chat, new: Sequence[ChatMessage], *, space: Space, owner: User, choices: Choices
) -> tuple[Session, int]:
    """Store new messages of a chat at the end of its conversation, which is made where there is none.

    Returns the session and how many were stored: those that another import stored meanwhile are not stored again.
    """
    now, program = timezone.now(), FORMS[chat.form]
    moments = dated(new, chat.started_at or now, now)
    session = session_create(
        space=space,
        started_at=min(chat.started_at or moments[0], now),
        title=chat.title,
        key=session_key(owner, chat),
        is_remembered=choices.remember,
        replies_by=program.SPEAKER if choices.replies else Session.NOBODY,
    )
    named = {"title": chat.title or f"From {program.NAME}", "title_by": TitleBy.PERSON if chat.title else TitleBy.WORDS}
    conversation, _ = Conversation.objects.get_or_create(
        session=session, defaults={"space": space, "owner": owner, **named}
    )
    locked = session_lock(session.pk)
    keys = [one.key for one in new]
    here = set(Turn.everything.filter(session=locked, key__in=keys).values_list("key", flat=True))
    kept = [(one, said_at) for one, said_at in zip(new, moments, strict=True) if one.key not in here]
    if kept:
        speakers = {Role.USER: speaker_name(owner), Role.ASSISTANT: program.SPEAKER}
        rounds_record(session=locked, rounds=list(rounds_of(kept, speakers)))
        # It stands in the list where it was last talked in.
        Conversation.objects.filter(pk=conversation.pk).update(updated_at=moments[-1])
    return locked, len(kept)


def dated(messages: Sequence[ChatMessage], started_at: datetime, now: datetime) -> list[datetime]:
    """Return when messages were said, none after now; one without a time was said with the one before it."""
    moments, last = [], started_at
    for one in messages:
        last = min(one.said_at or last, now)
        moments.append(last)
    return moments


def rounds_of(
    messages: Sequence[tuple[ChatMessage, datetime]], speakers: Mapping[Role, str]
) -> Iterator[RoundToRecord]:
    """Yield messages, with when each was said, as rounds: one begins with each of the person's, and holds the replies to it.

    A wish about the memory is neither carried out, because a file is a record, nor learnt.
    """
    waiting: list[TurnToRecord] = []
    for one, said_at in messages:
        if waiting and one.role is Role.USER:
            yield RoundToRecord(tuple(waiting), is_wish=is_wish(waiting[0]))
            waiting = []
        waiting.append(TurnToRecord(speakers[one.role], one.role, one.text, said_at, one.key))
    if waiting:
        yield RoundToRecord(tuple(waiting), is_wish=is_wish(waiting[0]))


def is_wish(turn: TurnToRecord) -> bool:
    return turn.role is Role.USER and wish_of(turn.text) is not None


def chats_job_create(*, space: Space, owner: User, file: BinaryIO, name: str) -> ImportJobRecord:
    """Queue the reading of an export, and return its job. Raises `ImportRefused` where the file is none."""
    ChatExport(file, name=name).check()
    file.seek(0)
    content = iter(lambda: file.read(1024 * 1024), b"")
    return job_create(space=space, by=owner, kind=Kind.CHATS, name=name, content=content, state=State.READING)


@transaction.atomic
def chats_job_begin(*, job: ImportJobRecord, choices: Choices) -> bool:
    """Import what was chosen of an export that was read; False where that was begun already. Raises `QuotaReached`."""
    if not job_begin(job=job, choices=choices.as_json()):
        return False
    import_count(job.space)
    act_record(kind=ActRecord.Kind.IMPORT, space=job.space_id, words=job.name)
    return True


def chats_job_work(*, job_id: int) -> bool:
    """Read the export of a job, or import what was chosen of it; False where nothing is to be done here."""
    return job_work(job_id=job_id, steps={State.READING: preview_step, State.IMPORTING: import_step})


def preview_step(job: ImportJobRecord, file: BinaryIO, told: Telling) -> dict[str, Any]:
    export = ChatExport(file, name=job.name, on_read=told)
    preview = export_preview(space=job.space, owner=job.by, export=export)
    return {"state": State.READY, "form": preview.form, "preview": preview.as_json(), "progress": 0}


def import_step(job: ImportJobRecord, file: BinaryIO, told: Telling) -> dict[str, Any]:
    added = chats_import(
        space=job.space,
        owner=job.by,
        export=ChatExport(file, name=job.name, on_read=told),
        choices=Choices.of_json(job.choices),
        on_progress=lambda share, so_far: told(share, so_far.counted),
    )
    return {"state": State.DONE, "progress": 1.0, "outcome": str(added)}
