"""Knowledge bases for tests."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable

from memory.core.grounded_generation.verification import Ground
from memory.models import KnowledgeBaseRecord, Space
from memory.services.knowledge import KnowledgeFile, knowledge_import

BOOKS = (
    ("It", "written by", "Stephen King"),
    ("Carrie", "written by", "Stephen King"),
    ("Carrie", "has genre", "Horror"),
    ("Blinky Bill", "written by", "Dorothy Wall"),
    ("Dorothy Wall", "born in", "Wellington"),
)


def knowledge_file(content: str, name: str = "books.tsv", **given: object) -> KnowledgeFile:
    return KnowledgeFile(name, len(content), lambda: io.BytesIO(content.encode()), **given)


def tsv(triples: Iterable[tuple[str, ...]]) -> str:
    return "".join("\t".join(parts) + "\n" for parts in triples)


def jsonl(passages: Iterable[Ground]) -> str:
    return "".join(json.dumps({"title": one.title, "text": one.text}) + "\n" for one in passages)


def base_of(space: Space, content: str = tsv(BOOKS), name: str = "Books", **given: object) -> KnowledgeBaseRecord:
    base, is_new = knowledge_import(space=space, file=knowledge_file(content), name=name, **given)
    assert is_new
    return base
