"""The knowledge bases of a space that may be read, and reading them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

# Of a dialogue the last so many words are read: what was said long before is hardly what is spoken of.
WORDS_READ = 400
READY = """
select id, name, passages, passage_words from memory_knowledgebaserecord
where space_id = %s and state = 'ready' order by id
"""


@dataclass(frozen=True)
class Base:
    id: int
    name: str
    passages: int
    passage_words: int


def ready_bases(space_id: int) -> list[Base]:
    return [Base(*row) for row in fetched(READY, [space_id])]


def fetched(statement: str, arguments: Mapping[str, Any] | Sequence[Any]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return list(cursor.fetchall())
