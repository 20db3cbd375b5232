"""A language model that plays a script: for tests and demonstrations, without weights, server or cost.

A script is a JSONL file of rules, one a line, first match first:

    {"when": "where do I live", "reply": "You live in Lyon."}
    {"when": "capital of (\\w+)", "reply": "I would have to look it up.", "delay_s": 0.2, "piece_delay_s": 0.01}
    {"when": "fail", "error": "unreachable", "message": "The line is dead. Check the cable."}
    {"when": "twice", "times": 1, "reply": "This only the first time."}
    {"reply": "What there is to say when nothing else matches."}

`when` is a regular expression, searched without regard to case in the last message; a rule without it always matches.
What the memory asks ends with "Write down what these lines state", "Name the triples of the graph that conflict", "Write the
summary" or, now and then, "Write the insights", each "as the JSON object". A script that an engine learns with has a rule for
these, such as

    {"when": "as the JSON object", "reply": {"facts": [], "statement": [], "conflicts": [], "summary": "", "insights": []}}

What the reasoning tree asks ends with "Name the next step as the JSON object", "Grade this answer as the JSON object"
or "Grade this search as the JSON object"; lines such as "EXPAND ENTITY [Maya]" and a decimal are replies to these.

A line may also be a case of a benchmark that brings its rules, `{"id": ..., "sessions": ..., "replies": [...]}`, so that one
file asks and holds what a model answers (`tests/data/model_loop.jsonl`).

A rule may say how probable words are as the answer, `{"when": "author", "chances": {"Yes": 0.9, "no": 0.1}}`: the most
probable one is its reply. Of a rule with a reply alone its first word is certain.

`times` retires a rule after so many uses. `reply` is text, or any JSON value, which is written out. `error` is one of
unreachable, refused, unparsable.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from memory.adapters.language_models.next_words import answer_chances
from memory.core.errors import LanguageModelError, ModelNotFound, ModelRefused, ModelUnreachable, UnparsableReply
from memory.core.types import AnswerChances, Completion, Prompt, SamplingConfig, TokenUsage

_LINE = TypeAdapter(dict[str, JsonValue])
PIECE = re.compile(r"\S+\s*|\s+")
FIRST_WORD = re.compile(r"\w+|\S")


class Rule(BaseModel):
    """One line of a script."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    when: str = ""
    reply: JsonValue = None
    chances: dict[str, Annotated[float, Field(gt=0, le=1)]] = Field(default_factory=dict)
    error: str = Field(default="", pattern="^(unreachable|refused|unparsable)?$")
    message: str = ""
    delay_s: float = Field(default=0.0, ge=0)
    piece_delay_s: float = Field(default=0.0, ge=0)
    times: int = Field(default=0, ge=0)

    @field_validator("when")
    @classmethod
    def _compiles(cls, when: str) -> str:
        try:
            re.compile(when)
        except re.error as error:
            raise ValueError(f"{when!r} is no regular expression ({error})") from error
        return when

    @model_validator(mode="after")
    def _does_something(self) -> Rule:
        if (self.reply is not None) + bool(self.chances) + bool(self.error) != 1:
            raise ValueError("a rule has either a reply or an error, or chances")
        return self

    def text(self) -> str:
        """Return the reply as text. Raises the rule's error."""
        said = self.message or f"The script says: {self.error}."
        if self.error == "unreachable":
            raise ModelUnreachable(said)
        if self.error == "refused":
            raise ModelRefused(said)
        if self.error == "unparsable":
            raise UnparsableReply(said, reply="")
        if self.chances:
            return max(self.chances, key=lambda word: self.chances[word])
        return self.reply if isinstance(self.reply, str) else json.dumps(self.reply, ensure_ascii=False)

    def next_tokens(self) -> list[tuple[str, float]]:
        """Return what may come first in the reply, with natural logarithms of its chances. Raises the rule's error."""
        text = self.text()
        chances = self.chances or dict.fromkeys(FIRST_WORD.findall(text)[:1], 1.0)
        return [(word, math.log(chance)) for word, chance in chances.items()]


def read_script(path: Path) -> list[Rule]:
    """Return the rules of a script. Raises `ModelNotFound`, and `ModelRefused` with the line and the field at fault."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelNotFound(f"The script {path} cannot be read. Set DSMART_ENGINE to scripted:<file>.") from error
    rules = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rules += _rules_of(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the line"
            raise ModelRefused(f"Line {number} of the script {path} is wrong: {where}: {first['msg']}.") from error
    return rules


def _rules_of(line: str) -> list[Rule]:
    """Return the rule of a line, or those of the case that it is."""
    found = _LINE.validate_json(line)
    given = found.get("replies")
    return [Rule.model_validate(rule) for rule in given] if isinstance(given, list) else [Rule.model_validate(found)]


@dataclass
class Script:
    """Rules with the count of how often each was used. Safe to use from many threads."""

    rules: Sequence[Rule]
    _used: dict[int, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def rule_for(self, message: str) -> Rule:
        """Return the first rule that matches, and count its use. Raises `ModelRefused` where none does."""
        with self._lock:
            for index, rule in enumerate(self.rules):
                used = self._used.get(index, 0)
                is_open = not rule.times or used < rule.times
                if is_open and (not rule.when or re.search(rule.when, message, re.IGNORECASE)):
                    self._used[index] = used + 1
                    return rule
        raise ModelRefused(f'The script has no rule for {message[-200:]!r}. Add one, or a rule without "when".')


class ScriptedLanguageModel:
    """A `LanguageModel` that plays a script. Tokens are words."""

    def __init__(self, path: Path) -> None:
        """Read the script at `path`. Raises `ModelNotFound` and `ModelRefused`."""
        self.name = f"scripted:{path}"
        self._script = Script(read_script(path.expanduser()))

    @classmethod
    def of_rules(cls, rules: Sequence[Rule]) -> ScriptedLanguageModel:
        """Return a model that plays rules which are in no file."""
        model = cls.__new__(cls)
        model.name = "scripted:rules"
        model._script = Script(rules)
        return model

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        """Return one outcome a prompt, in order, each after its rule's delay."""
        outcomes: list[Completion | Exception] = []
        for prompt in prompts:
            try:
                text = "".join(self.stream(prompt, config=config))
            except LanguageModelError as error:
                outcomes.append(error)
            else:
                outcomes.append(Completion(text, _words(prompt), len(PIECE.findall(text))))
        return outcomes

    def probabilities_many(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[AnswerChances | Exception]:
        """Return one outcome a prompt, in order, each after its rule's delay."""
        outcomes: list[AnswerChances | Exception] = []
        for prompt in prompts:
            try:
                rule = self._script.rule_for(prompt.messages[-1].content)
                time.sleep(rule.delay_s)
                outcomes.append(answer_chances(rule.next_tokens(), answers, usage=TokenUsage(_words(prompt), 1)))
            except LanguageModelError as error:
                outcomes.append(error)
        return outcomes

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        """Yield the reply word by word, at most `max_tokens` of them, with the rule's delays. Raises the rule's error."""
        rule = self._script.rule_for(prompt.messages[-1].content)
        time.sleep(rule.delay_s)
        pieces = PIECE.findall(rule.text())[: config.max_tokens]
        for number, piece in enumerate(pieces):
            if number:
                time.sleep(rule.piece_delay_s)
            yield piece
        return TokenUsage(_words(prompt), len(pieces))


def _words(prompt: Prompt) -> int:
    return sum(len(PIECE.findall(message.content)) for message in prompt.messages)
