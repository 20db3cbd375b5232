"""Stages what a file of knowledge states in temporary tables, and moves it into the tables of a base at once.

Temporary tables are the session's own and end with it: whoever is killed before the move has left nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper

from memory.adapters.knowledge_files import NameKind

STAGING = """
drop table if exists
    staged_triple, staged_name, staged_passage, staged_known, staged_once, staged_entity, staged_relation, staged_linked;
create temp table staged_triple (line bigint, subject text, relation text, object text);
create temp table staged_name (line bigint, identity text, kind int, name text, key text, head text, tail text);
create temp table staged_passage (line bigint, title text, text text, key text, words text[]);
"""
DROP = STAGING[: STAGING.index(";")]
# A thing is called by its first label, else by what stands for one; what has no name at all is left out with its triples.
KNOWN = """
create temp table staged_known as
select distinct on (identity) identity, name, key, head, tail from staged_name
where key <> '' and kind <> %(alias)s order by identity, kind, line
"""
# Each step by itself, in this order. They are joined by words once; from then on by numbers.
ONCE = """
create temp table staged_once as
select subject, relation, object, min(line) as line from staged_triple group by subject, relation, object
"""
ENTITIES = """
create temp table staged_entity as
select nextval(pg_get_serial_sequence('memory_knowledgenamerecord', 'id')) as id, known.*
from staged_known known where identity in (select subject from staged_once union all select object from staged_once)
"""
RELATIONS = """
create temp table staged_relation as
select nextval(pg_get_serial_sequence('memory_knowledgerelationrecord', 'id')) as id, identity, name
from staged_known where identity in (select relation from staged_once)
"""
LINKED = """
create temp table staged_linked as
select line, subject.id as subject, relation.id as relation, object.id as object
from staged_once once
join staged_entity subject on subject.identity = once.subject
join staged_relation relation on relation.identity = once.relation
join staged_entity object on object.identity = once.object
"""
STORE_ENTITIES = """
insert into memory_knowledgenamerecord (id, base_id, entity, name, key, head, tail, triples)
select entity.id, %(base)s, entity.id, name, key, head, tail, ends.triples
from staged_entity entity join (
    select entity, count(*) as triples from (
        select subject as entity from staged_linked union all select object from staged_linked where object <> subject
    ) mentions group by entity
) ends on ends.entity = entity.id
"""
STORE_ALIASES = """
insert into memory_knowledgenamerecord (base_id, entity, name, key, head, tail, triples)
select distinct on (entity.id, other.key)
    %(base)s, entity.id, other.name, other.key, other.head, other.tail, known.triples
from staged_name other
join staged_entity entity using (identity)
join memory_knowledgenamerecord known on known.id = entity.id
where other.kind <> %(fallback)s and other.key <> '' and other.key <> entity.key
order by entity.id, other.key, other.line
"""
STORE_RELATIONS = """
insert into memory_knowledgerelationrecord (id, base_id, name) select id, %(base)s, name from staged_relation
"""
STORE_TRIPLES = """
insert into memory_knowledgetriplerecord (base_id, subject, relation, object)
select %(base)s, subject, relation, object from staged_linked order by line
"""
STORE_PASSAGES = """
insert into memory_knowledgepassagerecord (base_id, title, text, key, words)
select %(base)s, title, text, key, array_to_tsvector(words) from (
    select distinct on (title, text) line, title, text, key, words from staged_passage order by title, text, line
) once order by line
"""
PASSAGE_WORDS = (
    "select coalesce(sum(cardinality(words)), 0) from (select distinct title, text, words from staged_passage) p"
)
TABLES = "memory_knowledgenamerecord, memory_knowledgetriplerecord, memory_knowledgepassagerecord"
# Fewer new rows change no plan.
ANALYSED_FROM = 1_000
# So much may be sorted or hashed in memory by each step before it goes to disk.
SORTED_IN = "64MB"


@dataclass(frozen=True)
class Stored:
    """How many rows a base got."""

    entities: int
    aliases: int
    triples: int
    passages: int
    passage_words: int


class Staging:
    """The temporary tables of one import, on this thread's connection."""

    COLUMNS = {
        "staged_triple": "line, subject, relation, object",
        "staged_name": "line, identity, kind, name, key, head, tail",
        "staged_passage": "line, title, text, key, words",
    }

    def begin(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(STAGING)

    def end(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(DROP)

    def add(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            with connection.cursor() as cursor, cursor.copy(f"copy {table} ({self.COLUMNS[table]}) from stdin") as copy:
                for row in rows:
                    copy.write_row(row)

    def store(self, base_id: int) -> Stored:
        """Move everything into the tables of a base, in the caller's transaction, and return the counts."""
        with connection.cursor() as cursor:
            cursor.execute(f"set local work_mem = '{SORTED_IN}'")
            cursor.execute("analyze staged_triple, staged_name")
            cursor.execute(KNOWN, {"alias": NameKind.ALIAS})
            for step in (ONCE, ENTITIES, RELATIONS, LINKED):
                cursor.execute(step)
            counts = [
                inserted(cursor, step, base_id)
                for step in (STORE_ENTITIES, STORE_ALIASES, STORE_RELATIONS, STORE_TRIPLES, STORE_PASSAGES)
            ]
            entities, aliases, _, triples, passages = counts
            cursor.execute(PASSAGE_WORDS)
            words = int(cursor.fetchone()[0])
            if sum(counts) >= ANALYSED_FROM:
                cursor.execute(f"analyze {TABLES}")
        return Stored(entities, aliases, triples, passages, words)


def inserted(cursor: CursorWrapper, step: str, base_id: int) -> int:
    cursor.execute(step, {"base": base_id, "fallback": NameKind.FALLBACK})
    return int(cursor.rowcount)
