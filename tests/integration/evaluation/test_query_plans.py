"""What the dashboard's pages read of a filled memory: a bounded number of rows, by indexes, whatever they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse

from evaluation.performance.dashboard import TABLES, PageAsked, memory_fill, pages_of
from memory import bootstrap
from memory.models import Space
from tests.fakes.engines import WordEmbedder

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
TRIPLES, TURNS = 10_000, 1_250
MOST_QUERIES = 12
# Of one table in one query: a page of the graph reads a few facts of each of the things that it shows, a timeline all
# replies of its dialogue, and a page of conflicts no more than it shows.
MOST_ROWS = {"memory_triplerecord": 6_000, "memory_conflictrecord": 100}
MOST_OTHERS = 3_000


@pytest.fixture
def filled(space: Space, owner: User, monkeypatch: pytest.MonkeyPatch) -> Space:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    memory_fill(space, by=owner, triples=TRIPLES, turns=TURNS, quiet=True)
    with connection.cursor() as cursor:
        cursor.execute(f"analyze {', '.join(TABLES)}")
    return space


def test_no_page_reads_a_whole_table(filled, owner):
    reader = Client()
    reader.force_login(owner)
    outside = []
    for page in pages_of(filled):
        queries = queries_of(reader, page)
        assert len(queries) <= MOST_QUERIES, (page.title, queries)
        for sql in queries:
            outside += [
                (page.title, table, rows, how, sql[:200])
                for table, rows, how in reads_of(sql)
                if rows > MOST_ROWS.get(table, MOST_OTHERS) or how == "Seq Scan"
            ]
    assert not outside, "\n".join(map(str, outside))


def queries_of(reader: Client, page: PageAsked) -> list[str]:
    try:
        path = reverse(page.view, args=page.arguments)
    except NoReverseMatch:
        return []
    with CaptureQueriesContext(connection) as seen:
        assert reader.get(path, page.query).status_code == 200
    return [query["sql"] for query in seen]


def reads_of(sql: str) -> Iterator[tuple[str, float, str]]:
    """Yield each table that a query reads with how many of its rows were looked at, and how."""
    if not sql.lstrip().lower().startswith(("select", "with", "(")):
        return
    with connection.cursor() as cursor:
        # This small memory could be read from end to end in no time: what is asked is whether an index would answer.
        cursor.execute("set local enable_seqscan = off")
        cursor.execute("explain (analyze, timing off, format json) " + sql.replace("%", "%%"), [])
        plan = cursor.fetchone()[0]
        cursor.execute("set local enable_seqscan = on")
    yield from scans(json.loads(plan)[0]["Plan"] if isinstance(plan, str) else plan[0]["Plan"])


def scans(node: dict[str, Any]) -> Iterator[tuple[str, float, str]]:
    if node.get("Relation Name") in TABLES:
        looked_at = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        yield node["Relation Name"], looked_at * node["Actual Loops"], node["Node Type"]
    for part in node.get("Plans", ()):
        yield from scans(part)
