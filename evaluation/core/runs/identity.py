"""What the figures of a run depend on, and by which of it a finished item may stand for another.

A key of the cache is made of what the reply of an item depends on: code, prompts, configuration, engine, how the kind of run
measures, the content of its case, the item, the system, the repetition. Other systems, other cases, the file as a whole and
the judge, who reads replies that are there, are no part of it (docs/adr/0038).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter

from evaluation.core.tasks.types import Task
from evaluation.core.types import Case

IN_WORDS = {
    "code_digest": "the code",
    "prompts": "the prompts",
    "data": "the data file",
    "engine": "the engine",
    "engine_digest": "what plays the engine",
    "embedder": "the embedder",
    "judge": "the judge",
    "judge_digest": "the judge's prompt",
    "seed": "the seed",
}


def digest_of(content: object) -> str:
    """Return the SHA-256 of a JSON value, whatever the order of its names."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class RunIdentity:
    """Digests of what a run is made of. `code` is for people: a commit, of which `code_digest` has the files that count.

    `config` are the settings by name, `measure` what the kind of run measures with.
    """

    code: str
    code_digest: str
    prompts: str
    data: str
    engine: str
    engine_digest: str
    embedder: str
    judge: str = ""
    judge_metric: str = ""
    judge_digest: str = ""
    seed: int = 0
    config: Mapping[str, str] = field(default_factory=dict)
    measure: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> RunIdentity:
        return cls(**content)

    @property
    def digest(self) -> str:
        """The digest of all that counts; the name of the commit is no part of it."""
        return digest_of({**self.as_json(), "code": ""})

    @property
    def of_replies(self) -> str:
        """The digest of what a reply depends on besides its case, its question and its system."""
        names = ("code_digest", "prompts", "engine", "engine_digest", "embedder", "config", "measure")
        return digest_of({name: self.as_json()[name] for name in names})

    def item_key(self, *, case: str, item: object, system: str, repeat: int) -> str:
        """Return the key of the cache. `case` is the digest of the case's content."""
        return digest_of([self.of_replies, case, item, system, repeat])

    def differences(self, other: RunIdentity) -> list[str]:
        """Return in words what is another in `other`, settings by their names."""
        ours, theirs = self.as_json(), other.as_json()
        found = [words for name, words in IN_WORDS.items() if ours[name] != theirs[name]]
        settings = sorted(set(self.config) | set(other.config))
        found += [name for name in settings if self.config.get(name) != other.config.get(name)]
        if digest_of(ours["measure"]) != digest_of(theirs["measure"]):
            found.append("what is measured")
        return found


_CASE, _TASK = TypeAdapter(Case), TypeAdapter(Task)


def frozen(case: Case | Task) -> dict[str, Any]:
    """Return a case as JSON values."""
    adapter: TypeAdapter[Any] = _CASE if isinstance(case, Case) else _TASK
    content: dict[str, Any] = adapter.dump_python(case, mode="json")
    return content


def case_of(content: Any) -> Case:
    return _CASE.validate_python(content)


def task_of(content: Any) -> Task:
    return _TASK.validate_python(content)


def content_digest(content: dict[str, Any]) -> str:
    """Return the digest of a frozen case without its questions, of which each item has its own."""
    return digest_of({name: value for name, value in content.items() if name != "questions"})
