"""Taking a conversation out and bringing one in."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, ValidationError

from conversations.core.errors import ImportRefused, MessageRefused
from conversations.core.wishes import wish_of
from conversations.models import Conversation
from conversations.models.reply import turn_key
from conversations.services.conversations import conversation_create
from conversations.services.messages import checked_message
from memory.core.tracing import restored, step_data
from memory.core.types import Role
from memory.core.types.calendar import in_the_calendar
from memory.models import ActRecord, Round, Space, StepRecord, Turn
from memory.services import round_add_turn, round_complete, round_open
from memory.services.accounts import speaker_name
from memory.services.acts import act_record
from memory.services.quotas import import_count, room_check

SIZE_LIMIT = 10 * 1024 * 1024
TURN_LIMIT = 5_000


def without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a character that is not text")
    return text


Name = Annotated[str, AfterValidator(without_nul)]
Moment = Annotated[AwareDatetime, AfterValidator(in_the_calendar)]


class ExportedTurn(BaseModel):
    """One turn; `generated` says that this product wrote it, which a file of an earlier version does not tell."""

    role: Literal["user", "assistant"]
    speaker: Name = Field(min_length=1, max_length=120)
    text: str = Field(min_length=1)
    said_at: Moment
    generated: bool = False
    trace: list[Any] = []


class ExportedStep(BaseModel):
    """A step of how a turn came about. Ids are those of the space that it was exported from."""

    number: int
    kind: str
    data: dict[str, Any]


class ExportedConversation(BaseModel):
    """The file form of a conversation, version 1. Traces are for reading: an import passes over them.

    `versions_left_out` says of how many versions, which were put aside, the file has no words.
    """

    format: Literal["dsmart-conversation"] = "dsmart-conversation"
    version: Literal[1] = 1
    title: Name = Field(default="", max_length=200)
    started_at: Moment
    remember: bool = True
    versions_left_out: int = 0
    turns: list[ExportedTurn] = Field(max_length=TURN_LIMIT)


def conversation_export(*, conversation: Conversation, format: Literal["json", "markdown"]) -> str:
    """Return the conversation's words as a file: JSON can be imported again, Markdown is for reading."""
    act_record(
        kind=ActRecord.Kind.EXPORT, space=conversation.space_id, words=f"conversation {conversation.pk}, as {format}"
    )
    turns = list(Turn.objects.filter(session_id=conversation.session_id).defer("search").order_by("index"))
    if format == "markdown":
        return markdown_of(conversation, turns)
    traces = exported_traces(conversation)
    exported = ExportedConversation(
        title=conversation.title,
        started_at=conversation.session.started_at,
        remember=conversation.session.is_remembered,
        versions_left_out=Round.everything.filter(session=conversation.session_id, aside_with=F("pk")).count(),
        turns=[
            ExportedTurn(
                role=turn.role,
                speaker=turn.speaker,
                text=turn.text,
                said_at=turn.said_at,
                trace=traces.get(turn.key, []),
                generated=turn.is_generated,
            )
            for turn in turns
        ],
    )
    return exported.model_dump_json(indent=2) + "\n"


def exported_traces(conversation: Conversation) -> dict[str, list[ExportedStep]]:
    """Return the steps of each reply of a conversation, by the key of the reply's turn."""
    steps = StepRecord.objects.filter(trace__replytrace__reply__conversation=conversation)
    rows = steps.order_by("trace", "number").values_list(
        "trace__replytrace__reply", "number", "kind", "figures", "words"
    )
    traces: dict[str, list[ExportedStep]] = {}
    for reply_id, number, kind, figures, words in rows:
        step = ExportedStep(number=number, kind=kind, data=step_data(restored(kind, figures, words)))
        traces.setdefault(turn_key(reply_id), []).append(step)
    return traces


def conversation_import(*, owner: User, space: Space, payload: bytes) -> Conversation:
    """Return a new conversation with the words of an exported file; what its person said is learnt like any message.

    A wish about the memory is neither carried out, because a file is a record, nor learnt. Raises `ImportRefused` with the
    place of the first error, and `QuotaReached`; nothing is stored then. Words of the file's person become words of `owner`,
    because an export is a person's own conversation.
    """
    exported = parsed(payload)
    for number, turn in enumerate(exported.turns, start=1):
        try:
            checked_message(turn.text)
        except MessageRefused as error:
            raise ImportRefused(f"Turn {number} of the file was not taken. {error}") from error
    with transaction.atomic():
        import_count(space)
        room_check(space, turns=len(exported.turns), size=sum(len(turn.text.encode()) for turn in exported.turns))
        conversation = conversation_create(
            owner=owner, space=space, title=exported.title or "Imported conversation", remember=exported.remember
        )
        session = conversation.session
        session.started_at = not_after_now(exported.started_at)
        session.save(update_fields=["started_at"])
        opened, is_wish = None, False
        for turn in exported.turns:
            is_user = turn.role == "user"
            said: dict[str, Any] = {
                "speaker": speaker_name(owner) if is_user else turn.speaker,
                "role": Role(turn.role),
                "text": turn.text,
                "said_at": not_after_now(turn.said_at),
            }
            if is_user or opened is None:
                if opened is not None:
                    round_complete(round=opened, is_wish=is_wish)
                opened, is_wish = round_open(session=session, **said).round, is_user and wish_of(turn.text) is not None
            else:
                round_add_turn(round=opened, is_generated=turn.generated, **said)
        if opened is not None:
            round_complete(round=opened, is_wish=is_wish)
        act_record(kind=ActRecord.Kind.IMPORT, by=owner, space=space, words=f"conversation {conversation.pk}")
    return conversation


def parsed(payload: bytes) -> ExportedConversation:
    if len(payload) > SIZE_LIMIT:
        raise ImportRefused(f"The file is larger than {SIZE_LIMIT // 1024 // 1024} MB.")
    try:
        return ExportedConversation.model_validate(json.loads(payload.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise ImportRefused("The file is not text. Choose a conversation that was exported as JSON.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ImportRefused(f"The file is not an exported conversation: {place}: {first['msg']}.") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        raise ImportRefused(
            f"The file is not JSON ({error}). Choose a conversation that was exported as JSON."
        ) from error


def markdown_of(conversation: Conversation, turns: list[Turn]) -> str:
    lines = [f"# {conversation.title or 'Conversation'}", ""]
    for turn in turns:
        lines += [f"**{turn.speaker}**, {turn.said_at:%Y-%m-%d %H:%M}", "", turn.text, ""]
    return "\n".join(lines)


def not_after_now(moment: datetime) -> datetime:
    return min(moment, timezone.now())
