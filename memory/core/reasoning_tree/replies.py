"""Reads what a model replies to the prompts of the reasoning tree (D-SMART, Figures 11 to 13).

A server that holds replies to a schema sends the JSON object that was asked for. Others send what the paper's prompts ask
for, a line such as `EXPAND ENTITY [Maya]` or a decimal, with prose, marks or fences around it; both are read.
"""

import math
import re
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from memory.core.plain_text import storable
from memory.core.prompting import UnreadableReply, answer_of, first_object
from memory.core.reasoning_tree.presentation import cut, on_one_line
from memory.core.reasoning_tree.types import Action, ActionKind

# Several times what the tokens asked for can hold; a server that sends more minds no limit, and none of it is read.
REPLY_LIMIT = 40_000
NAME_LIMIT = 200
QUOTE_LIMIT = 200
KINDS = {
    "EXPANDENTITY": ActionKind.EXPAND_ENTITY,
    "EXPAND": ActionKind.EXPAND_ENTITY,
    "FINDPATH": ActionKind.FIND_PATH,
    "THINK": ActionKind.THINK,
    "ANSWER": ActionKind.ANSWER,
}
GRAPH_KINDS = frozenset({ActionKind.EXPAND_ENTITY, ActionKind.FIND_PATH})
# An action at the beginning of a line, behind bullets, numbers, marks and "Next action:".
LINE = re.compile(
    r"[^\w\[{]{0,20}(?:\d{1,2}[.)][^\w\[{]{0,5})?(?:(?:next )?action\W{1,5})?"
    r"(?P<name>expand[ _-]?entity|find[ _-]?path|think(?=\W{0,4}[:\[]|\W*$)|answer(?=\W{0,4}[:\[]|\W*$))\b(?P<rest>.*)",
    re.IGNORECASE,
)
BRACKETED = re.compile(r"\[([^\[\]]*)\]")
BETWEEN_NAMES = re.compile(r",|;|->|→|\band\b|\bto\b", re.IGNORECASE)
DECORATION = " \t\n\r\"'`*_“”‘’«»"
AROUND_WORDS = frozenset({"[]", '""', "``", "“”"})
NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
ALONE = re.compile(rf"(?<![\w.,/+-]){NUMBER}(?![\w/%]|[.,]\d)")
LABELLED = re.compile(rf"\bscore\b[^\w+-]{{0,8}}({NUMBER})(?![\w/%])", re.IGNORECASE)
OUT_OF_ONE = re.compile(r"\s{0,3}/\s{0,3}1(?:\.0{1,9})?(?![\d.])")
# PostgreSQL keeps no NUL, and half a surrogate pair is no text.


class ActionReply(BaseModel):
    """One step. `entities` are the names that a graph action is about, `text` the thought or the answer."""

    action: Literal["EXPAND ENTITY", "FIND PATH", "THINK", "ANSWER"]
    entities: list[str]
    text: str


class WordsReply(BaseModel):
    """One step. `text` is the thought or the answer."""

    action: Literal["THINK", "ANSWER"]
    text: str


class AnswerScores(BaseModel):
    """Three grades of an answer, each from 0 to 1."""

    # The rubric of Figure 12.

    accuracy: float
    completeness: float
    clarity: float


class StateScores(BaseModel):
    """Three grades of a search, each from 0 to 1."""

    # The rubric of Figure 13.

    relevance: float
    progress: float
    potential: float


def action_of(reply: str) -> Action:
    """Return the action that a reply proposes. Raises `UnreadableReply`."""
    text = _said(reply)
    try:
        found = first_object(text)
    except UnreadableReply as error:
        action = _action_in_lines(text)
        if action is None:
            raise UnreadableReply(str(error) if "{" in text else "it names none of the actions.") from None
        return action
    named = str(found.get("action") or "")
    kind = KINDS.get(_letters(named))
    if kind is None:
        action = _action_in_lines(named)
        if action is None:
            raise UnreadableReply(f'"{quoted(named)}" is no action.')
        return action
    if kind in GRAPH_KINDS:
        entities = found.get("entities")
        names = entities if isinstance(entities, list) else [entities]
        return Action(kind, _names([name for name in names if isinstance(name, str)]))
    words = found.get("text")
    return Action(kind, text=storable(words).strip() if isinstance(words, str) else "")


def score_of(reply: str, rubric: type[BaseModel]) -> float:
    """Return the mean of a reply's scores, or its only score. Raises `UnreadableReply`.

    A score outside of [0, 1] is unreadable, because its scale is unknown.
    """
    text = _said(reply)
    try:
        found = {key.casefold(): value for key, value in first_object(text).items()}
    except UnreadableReply as error:
        if "{" in text:
            raise UnreadableReply(str(error)) from None
        return _score_in_words(text)
    names = list(rubric.model_fields)
    if "score" in found and not any(name in found for name in names):
        names = ["score"]
    scores = [_in_range(_number(found.get(name), name), name) for name in names]
    return round(math.fsum(scores) / len(scores), 6)


def quoted(text: str) -> str:
    """Return a reply as a trace can show it: on one line, cut, without unprintable characters."""
    return cut(on_one_line(storable(text)), QUOTE_LIMIT)


def _said(reply: str) -> str:
    """Return a reply without its thinking. Raises `UnreadableReply` where nothing is left."""
    text = answer_of(reply).strip()
    if not text:
        raise UnreadableReply("it is empty.")
    if len(text) > REPLY_LIMIT:
        raise UnreadableReply(f"it has {len(text):,} characters, where {REPLY_LIMIT:,} are more than enough.")
    return text


def _action_in_lines(text: str) -> Action | None:
    """Return the action of the first line that begins with one, with the words behind it."""
    lines = [line for line in text.splitlines() if not line.strip().startswith("```")]
    for place, line in enumerate(lines):
        found = LINE.match(line)
        kind = KINDS.get(_letters(found["name"])) if found else None
        if found is None or kind is None:
            continue
        if kind in GRAPH_KINDS:
            return Action(kind, _names(_names_in(found["rest"], kind)))
        following = lines[place + 1 :]
        if kind is ActionKind.THINK:
            end = next((index for index, after in enumerate(following) if LINE.match(after)), len(following))
            following = following[:end]
        return Action(kind, text=_words_of("\n".join([found["rest"], *following])))
    return None


def _names_in(rest: str, kind: ActionKind) -> list[str]:
    names = BRACKETED.findall(rest) or [rest.strip(DECORATION + ":(){}.-")]
    if kind is ActionKind.FIND_PATH and len(names) == 1:
        names = BETWEEN_NAMES.split(names[0])
    return names


def _words_of(text: str) -> str:
    """Return the words behind THINK or ANSWER, without the colon, the marks and the brackets around them."""
    words = storable(text).strip().lstrip(":*_ \t\n")
    if words.count("**") % 2:
        words = words.removesuffix("**")
    if len(words) > 1 and words[0] + words[-1] in AROUND_WORDS:
        words = words[1:-1]
    return words.strip()


def _names(names: Sequence[str]) -> tuple[str, ...]:
    cleaned = (" ".join(storable(name).split()).strip(DECORATION + "[]")[:NAME_LIMIT] for name in names)
    return tuple(name for name in cleaned if name)


def _score_in_words(text: str) -> float:
    """Return the last number that is called a score, else the only number that there is."""
    text = OUT_OF_ONE.sub("", text)
    labelled = LABELLED.findall(text)
    if labelled:
        return _in_range(_number(labelled[-1], "score"), "score")
    alone = ALONE.findall(text)
    if len(alone) != 1:
        raise UnreadableReply(
            "it gives no score." if not alone else "it gives several numbers and calls none the score."
        )
    return _in_range(_number(alone[0], "score"), "score")


def _number(value: object, name: str) -> float:
    if isinstance(value, str):
        try:
            return float(value.replace(",", ".").strip())
        except ValueError:
            raise UnreadableReply(f'"{quoted(value)}" is no score for {name}.') from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableReply(f"it gives no number for {name}.")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _in_range(value: float, name: str) -> float:
    if not 0.0 <= value <= 1.0:
        raise UnreadableReply(f"{value:g} for {name} is not between 0 and 1.")
    return value


def _letters(text: str) -> str:
    return "".join(char for char in text.upper() if char.isalpha())
