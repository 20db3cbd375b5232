"""The server: names, descriptions and schemas of the tools, and errors as one sentence.

Whom a call acts for is a context variable, set where the person becomes known: by the HTTP door for each request, by
`manage.py mcp` once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from typing import Annotated, Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import Error
from django.utils import timezone
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import AfterValidator, Field, ValidationError

from conversations.core.errors import ConversationError
from conversations.doors.callers import AWAY
from conversations.doors.mcp.results import About, Answer, Changes, Corrected, ForgottenRows, Recalled, Remembered
from conversations.doors.mcp.tools import Tools
from memory.adapters.outages import is_away, outage_note
from memory.core.errors import MemoryCoreError
from memory.core.plain_text import NOT_PLAIN, is_plain
from memory.core.types.calendar import in_the_calendar
from memory.services.edits.audit import EditRefused
from memory.services.edits.forget_many import AT_ONCE
from memory.services.recording import TurnRefused

FoundT = TypeVar("FoundT")
INSTRUCTIONS = (
    "A memory of what a person said: sentences, and facts read from them, of which only the current ones hold. "
    "Look into it before you answer about the person, and remember what they tell you in their own words."
)
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
DELETES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
LONGEST = 20_000
LARGEST_ID = 2**63 - 1

Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Limit = Annotated[int, Field(ge=1, le=100, description="At most so many.")]
Name = Annotated[str, Field(min_length=1, max_length=300)]


def moment(given: datetime) -> datetime:
    """Return a time that can be kept; one without a zone is in the product's time zone. Raises `ValueError`."""
    return in_the_calendar(given if timezone.is_aware(given) else timezone.make_aware(given))


Moment = Annotated[datetime, AfterValidator(moment)]
Optional = Annotated[str | None, Field(max_length=1000)]
acting: ContextVar[Tools] = ContextVar("acting")


class MemoryServer(MCPServer):
    """Tells a failure in one sentence, and refuses arguments that are no text."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        if not is_plain(arguments):
            raise ToolError(NOT_PLAIN)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            match error.__cause__:
                case ValidationError() as wrong:
                    first = wrong.errors(include_url=False, include_context=False, include_input=False)[0]
                    place = ".".join(str(part) for part in first["loc"])
                    raise ToolError(f"The argument {place} cannot be taken: {first['msg']}.") from wrong
                case ToolError() as refusal:
                    raise refusal from None
            raise


async def done(work: Callable[[Tools], FoundT]) -> FoundT:
    """Return what a tool answers, whose work is done in a thread."""
    tools = acting.get()
    try:
        return await tools.caller.does(lambda: work(tools))
    except (ConversationError, MemoryCoreError, EditRefused, TurnRefused) as error:
        raise ToolError(str(error)) from error
    except Error as error:
        if not is_away(error):
            raise
        outage_note(error)
        raise ToolError(AWAY) from None
    except ObjectDoesNotExist:
        raise ToolError("There is no such fact in this memory. Look for it with recall or facts_about.") from None


async def remember(
    text: Annotated[
        str, Field(min_length=1, max_length=LONGEST, description="What the person said, in their own words.")
    ],
    said_at: Annotated[Moment | None, Field(description="When they said it; now where absent.")] = None,
    key: Annotated[
        str, Field(max_length=200, description="Your own id of it, so that sending it again stores it once.")
    ] = "",
) -> Remembered:
    """Remember what the person told you. The words are stored as theirs, facts are read from them, and what they
    contradict is replaced. Send plain statements of the person, not summaries or guesses of your own."""
    return await done(lambda tools: tools.remember(text, said_at=said_at, key=key))


async def recall(
    query: Annotated[str, Field(min_length=1, max_length=2000, description="Words, or a question.")],
    limit: Limit = 10,
) -> Recalled:
    """Find what was said nearest to a query in meaning and in words, with the facts read from it that hold now."""
    return await done(lambda tools: tools.recall(query, limit=limit))


async def ask_with_proof(
    question: Annotated[str, Field(min_length=1, max_length=LONGEST)],
    responder: Annotated[
        str, Field(max_length=60, description="How to answer: goal_mem proves it, d_smart searches, graph looks it up.")
    ] = "goal_mem",
    engine: Annotated[str, Field(max_length=200, description="Which engine answers; empty is the default.")] = "",
) -> Answer:
    """Ask a question of the memory. The answer comes with its proof: the steps by which it was found, the facts and
    sentences that it rests on, and what is missing where nobody said it. Nothing is stored."""
    return await done(lambda tools: tools.ask_with_proof(question, responder=responder, engine=engine))


async def facts_about(
    name: Annotated[Name, Field(description='A name, or "me" for the person.')],
    include_replaced: Annotated[bool, Field(description="Also what does not hold any more.")] = False,
    limit: Limit = 50,
) -> About:
    """List the facts about a person, a place or a thing, each with its number and the sentence that says so."""
    return await done(lambda tools: tools.facts_about(name, include_replaced=include_replaced, limit=limit))


async def what_changed(
    since: Annotated[Moment | None, Field(description="From when on; the last seven days where absent.")] = None,
    limit: Limit = 50,
) -> Changes:
    """List what changed in the memory: facts that were replaced or taken back, by what and by which rule, and new ones."""
    return await done(lambda tools: tools.what_changed(since=since, limit=limit))


async def correct(
    fact: Annotated[Id, Field(description="The number of the fact.")],
    value: Annotated[Optional, Field(description="What is right in place of its value.")] = None,
    predicate: Annotated[Optional, Field(description="What is right in place of its predicate.")] = None,
    subject: Annotated[Optional, Field(description="Whom or what it is about instead.")] = None,
    is_wrong: Annotated[bool, Field(description="Only take it back: it is wrong, and nothing else is known.")] = False,
) -> Corrected:
    """Put a fact right when the person says that it is wrong. The old one keeps its history, the edit is on record under
    the person's name, and it can be undone."""
    return await done(
        lambda tools: tools.correct(fact, value=value, predicate=predicate, subject=subject, is_wrong=is_wrong)
    )


async def forget(
    facts: Annotated[list[Id], Field(max_length=AT_ONCE, description="Numbers of facts.")] = [],  # noqa: B006
    sentences: Annotated[list[Id], Field(max_length=AT_ONCE, description="Numbers of sentences.")] = [],  # noqa: B006
    with_words: Annotated[
        bool, Field(description="Also the sentences that the facts were read from, and whatever else these say.")
    ] = True,
) -> ForgottenRows:
    """Forget facts and sentences for good, when the person asks for it. This cannot be undone; to put something right use
    correct."""
    return await done(lambda tools: tools.forget(facts=facts, sentences=sentences, with_words=with_words))


TOOLS: dict[Callable[..., Any], ToolAnnotations] = {
    remember: ADDS,
    recall: READS,
    ask_with_proof: READS,
    facts_about: READS,
    what_changed: READS,
    correct: ADDS,
    forget: DELETES,
}


@cache
def memory_server() -> MemoryServer:
    """Return the server of this process."""
    server = MemoryServer("d-smart", title="D-SMART memory", instructions=INSTRUCTIONS, log_level="WARNING")
    for tool, hints in TOOLS.items():
        server.add_tool(tool, annotations=hints)
    return server
