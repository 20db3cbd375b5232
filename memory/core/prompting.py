"""Renders prompt files and parses models' replies.

A prompt is a file `prompts/<name>.md.j2`, a Jinja2 template in sections. A line `## system`, `## user` or `## assistant` in
the file begins the message of that role, up to the next such line. The file is cut into sections before any value is put in,
so that no value can begin a message of its own. Each section is rendered by itself; a name without a value is an error.

What people said goes through the filter `fenced`: `{{ text | fenced("sentence") }}` puts it between two marks that do not
occur in it, so that it cannot end its own quotation. A value `mark` is the mark of every text that does not contain it: then
prompts of one search begin alike however much they have come to hold, and a server finds their beginnings in its cache.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import jinja2
from pydantic import BaseModel, ValidationError

from memory.core.errors import LanguageModelError, UnparsableReply
from memory.core.ports import LanguageModel
from memory.core.thinking import UnfinishedThinking, without_thinking
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig

ReplyT = TypeVar("ReplyT", bound=BaseModel)
ParsedT = TypeVar("ParsedT")

SECTION = re.compile(r"^## (system|user|assistant)[ \t]*$", re.MULTILINE)
JINJA_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
ASK_AGAIN = Path(__file__).parent / "prompts" / "ask_again.md.j2"
# A reply is quoted back to the model, and to the reader of a log, up to here.
QUOTE_LIMIT = 4_000
# Braces in the prose before the object; a reply with more of them is no answer.
OPENINGS_LIMIT = 50
DECODER = json.JSONDecoder()
NO_FORM = "The model's reply has not the asked form: "


class UnreadableReply(ValueError):
    """Raised for a reply that is not in the requested form; the message tells the model what is wrong."""


def render_prompt(path: Path, *, schema: type[BaseModel] | None = None, **values: object) -> Prompt:
    """Return the prompt of a file with its values put in, bound to the schema of a reply where one is given.

    Raises `jinja2.UndefinedError` for a name without a value, and `ValueError` for a file without sections.
    """
    messages = tuple(Message(role, section.render(**values).strip()) for role, section in _sections(path))
    return Prompt(messages, None if schema is None else json_schema_of(schema))


def fenced(text: object, name: str = "text", *, mark: str = "") -> str:
    """Return text between two marks that do not occur in it: `mark` if possible, else one that the text alone decides."""
    content = str(text)
    number = 0
    while not mark or mark in content:
        mark = mark_of(number, content)
        number += 1
    return f"<{name} {mark}>\n{content}\n</{name} {mark}>"


def mark_of(*parts: object) -> str:
    """Return the mark that stands for these parts."""
    return hashlib.sha256("\n".join(map(str, parts)).encode(errors="surrogatepass")).hexdigest()[:8]


@lru_cache(maxsize=128)
def _schema_text(reply_type: type[BaseModel]) -> str:
    return json.dumps(_closed(reply_type.model_json_schema()))


def json_schema_of(reply_type: type[BaseModel]) -> dict[str, object]:
    """Return the JSON schema of a reply, closed: no other field is allowed, and required is each that has no default.

    So far all servers with structured output take JSON schema; where fields may be left out, not all take it as strict.
    """
    schema: dict[str, object] = json.loads(_schema_text(reply_type))
    return schema


def is_strict(schema: object) -> bool:
    """Return whether a schema requires every field of every object, as servers ask for that enforce it to the letter."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    return set(schema.get("properties", ())) == set(schema.get("required", ())) and all(map(is_strict, schema.values()))


def parse_json(text: str, reply_type: type[ReplyT]) -> ReplyT:
    """Return a model's reply, which is the first JSON object in the text. Raises `UnreadableReply`.

    Thinking, prose and code fences around the object are passed over.
    """
    return validated(first_object(answer_of(text)), reply_type)


def answer_of(text: str) -> str:
    """Return a reply without its thinking. Raises `UnreadableReply` where it ends inside of that."""
    try:
        return without_thinking(text)
    except UnfinishedThinking:
        raise UnreadableReply("it ended before the answer began.") from None


def validated(found: object, reply_type: type[ReplyT]) -> ReplyT:
    """Return what a reply holds as the asked type. Raises `UnreadableReply`."""
    try:
        return reply_type.model_validate(found)
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc']) or 'the object'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_context=False)[:3]
        ]
        raise UnreadableReply("; ".join(faults) + ".") from None


def first_object(text: str) -> dict[str, object]:
    """Return the first JSON object in the text. Raises `UnreadableReply`, also where the text ends inside of it."""
    end = len(text.rstrip())
    opening = text.find("{")
    for _ in range(OPENINGS_LIMIT):
        if opening < 0:
            break
        try:
            found, _ = DECODER.raw_decode(text, opening)
        except json.JSONDecodeError as error:
            if error.pos >= end or error.msg.startswith("Unterminated string"):
                raise UnreadableReply("the JSON object breaks off before its end. Keep it shorter.") from None
        except (RecursionError, ValueError):
            raise UnreadableReply("the JSON object is nested too deeply or has a number that is too long.") from None
        else:
            return dict(found)
        opening = text.find("{", opening + 1)
    raise UnreadableReply("there is no JSON object in it.")


def ask_many(
    model: LanguageModel,
    prompts: Sequence[Prompt],
    parse: Callable[[str], ParsedT],
    *,
    config: SamplingConfig,
) -> list[ParsedT | LanguageModelError]:
    """Return each parsed reply in order, or the error of its prompt.

    `parse` raises `UnreadableReply` for a reply in a wrong form. Those prompts are asked once more, in one batch, with the
    reply and its fault; a second such reply is an `UnparsableReply`.
    """
    completed = _completed(model, prompts, config)
    outcomes = [_read(one, parse) for one in completed]
    again = {
        place: _asked_again(prompt, outcome)
        for place, (prompt, said, outcome) in enumerate(zip(prompts, completed, outcomes, strict=True))
        if isinstance(outcome, UnparsableReply) and outcome is not said
    }
    for place, one in zip(again, _completed(model, list(again.values()), config), strict=True):
        outcomes[place] = _read(one, parse)
    return outcomes


def settled(outcome: ParsedT | LanguageModelError) -> ParsedT:
    """Return an outcome that is none of the errors. Raises the one that it is."""
    if isinstance(outcome, LanguageModelError):
        raise outcome
    return outcome


def ask_once(
    model: LanguageModel, prompt: Prompt, parse: Callable[[str], ParsedT], *, config: SamplingConfig
) -> ParsedT:
    """Return the parsed reply to one prompt, which is not asked again. Raises the `LanguageModelError` that it met."""
    return settled(_read(_completed(model, [prompt], config)[0], parse))


def _read(completed: Completion | LanguageModelError, parse: Callable[[str], ParsedT]) -> ParsedT | LanguageModelError:
    """Return the parsed reply, or what went wrong: the one place where a reply that cannot be read becomes an error."""
    if isinstance(completed, LanguageModelError):
        return completed
    try:
        return parse(completed.text)
    except UnreadableReply as error:
        return UnparsableReply(f"{NO_FORM}{error}", reply=completed.text)


def _completed(
    model: LanguageModel, prompts: Sequence[Prompt], config: SamplingConfig
) -> list[Completion | LanguageModelError]:
    """Return the model's outcomes. An exception that is no `LanguageModelError` is a defect, and is raised."""
    outcomes: list[Completion | LanguageModelError] = []
    for outcome in model.complete_many(prompts, config=config) if prompts else []:
        if isinstance(outcome, Exception) and not isinstance(outcome, LanguageModelError):
            raise outcome
        outcomes.append(outcome)
    return outcomes


def _asked_again(prompt: Prompt, fault: UnparsableReply) -> Prompt:
    quoted = Message(MessageRole.ASSISTANT, fault.reply[:QUOTE_LIMIT] or "(nothing)")
    error = str(fault).removeprefix(NO_FORM)
    return replace(prompt, messages=(*prompt.messages, quoted, *render_prompt(ASK_AGAIN, error=error).messages))


@jinja2.pass_context
def _fenced_in(context: jinja2.runtime.Context, text: object, name: str = "text") -> str:
    return fenced(text, name, mark=str(context.get("mark", "")))


@lru_cache(maxsize=128)
def _sections(path: Path) -> tuple[tuple[MessageRole, jinja2.Template], ...]:
    # A prompt is no markup: escaping would change what people said.
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701
    )
    environment.filters["fenced"] = _fenced_in
    before, *parts = SECTION.split(path.read_text(encoding="utf-8"))
    if not parts or JINJA_COMMENT.sub("", before).strip():
        raise ValueError(f"{path} does not begin with a section: ## system, ## user or ## assistant.")
    return tuple(
        (MessageRole(role), environment.from_string(text)) for role, text in zip(parts[::2], parts[1::2], strict=True)
    )


def _closed(schema: object) -> object:
    """Return a JSON schema in which every object is closed, without titles and defaults."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items() if name not in {"title", "default", "properties"}}
    if "properties" in schema:
        closed["properties"] = {name: _closed(value) for name, value in schema["properties"].items()}
        closed["required"] = list(schema.get("required", ()))
        closed["additionalProperties"] = False
    return closed
