"""Knowledge bases are imported whole or not at all, found by names, and leave nothing when they go."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from memory.adapters.knowledge_files import KnowledgeFileRefused
from memory.core.errors import KnowledgeRefused
from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeTriple, PassageIndex
from memory.core.grounded_generation.verification import Ground
from memory.models import (
    KnowledgeBaseRecord,
    KnowledgeNameRecord,
    KnowledgePassageRecord,
    KnowledgeRelationRecord,
    KnowledgeTripleRecord,
    KnowledgeUploadRecord,
)
from memory.services import space_create, space_forget
from memory.services.advisory_locks import advisory_lock
from memory.services.knowledge import (
    knowledge_import,
    knowledge_promise_removal,
    knowledge_remove,
    knowledge_upload,
    knowledge_waiting_promise,
    knowledge_work,
    storing,
)
from memory.services.knowledge.bases import UPLOAD_LIMIT
from memory.services.knowledge.importing import LOCK_BASE
from memory.stores.knowledge import SpaceKnowledge
from tests.integration.memory.knowledge import BOOKS, base_of, jsonl, knowledge_file, tsv
from tests.integration.memory.test_forgetting import every_text_of_the_database

pytestmark = pytest.mark.django_db

ROWS = (KnowledgeNameRecord, KnowledgeRelationRecord, KnowledgeTripleRecord, KnowledgePassageRecord)
TRIPLES = [KnowledgeTriple(*parts) for parts in BOOKS]
PASSAGES = (
    Ground("Trams run in Melbourne.", title="Trams in Melbourne"),
    Ground("An animal of Australia that eats eucalyptus.", title="Koala (animal)"),
    Ground("She wrote and drew books about a koala.", title="Dorothy Wall"),
    Ground("A koala in a children's book, drawn by her.", title="Blinky Bill"),
)
LABELLED = """<http://e/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "Paris"@en .
<http://e/Q1> <http://www.w3.org/2004/02/skos/core#altLabel> "City of Light" .
<http://e/Q2> <http://www.w3.org/2000/01/rdf-schema#label> "Paris" .
<http://e/Q1> <http://e/capitalOf> <http://e/France> .
<http://e/Q2> <http://e/sonOf> <http://e/King_Priam> .
<http://e/Q2> <http://e/sonOf> _:nobody .
"""


def counted() -> list[int]:
    return [model.objects.count() for model in ROWS]


def said(space, *dialogue: str, limit: int = 100) -> list[KnowledgeTriple]:
    return SpaceKnowledge(space.pk).candidates(dialogue, limit=limit)


def test_base_is_found_by_names_as_the_index_in_memory_finds_it(space):
    base = base_of(space, tsv([*BOOKS, BOOKS[0]]))
    assert (base.state, base.entities, base.triples, base.passages) == ("ready", 7, 5, 0)
    index = KnowledgeIndex(TRIPLES)
    for dialogue in (["Who wrote Carrie?"], ["horror!", "and by Stephen King"], ["It"], [], ["the Koala"]):
        for limit in (1, 2, 100):
            found = said(space, *dialogue, limit=limit)
            assert found == index.candidates(dialogue, limit=limit)
            assert {(one.source, one.base_id) for one in found} <= {("Books", base.pk)}


def test_misspelt_name_is_found_and_one_that_could_be_two_is_not(space):
    base_of(space)
    assert SpaceKnowledge(space.pk).linked(["what of Stephan King and Carrie"]) == ["carrie", "stephen king"]
    assert said(space, "dorthy wall drew it") == TRIPLES[3:]
    base_of(space, "Stephyn King\tis\tsomebody else\n", "Others")
    assert said(space, "I like Stephin King") == []


def test_alias_leads_to_the_triples_of_its_entity(space, tmp_path):
    aliases = tmp_path / "aliases.tsv"
    aliases.write_text("Stephen King\tRichard Bachman\nNobody\tNo one\nStephen King\tSTEPHEN KING\n")
    base, _ = knowledge_import(space=space, file=knowledge_file(tsv(BOOKS), aliases=aliases), name="Books")
    assert base.aliases == 1
    assert said(space, "books by Richard Bachman") == TRIPLES[:2]


def test_things_of_one_label_stay_two_and_what_has_no_name_is_left_out(space):
    base, _ = knowledge_import(space=space, file=knowledge_file(LABELLED, "cities.nt"), name="Cities")
    assert (base.form, base.entities, base.aliases, base.triples) == ("ntriples", 4, 1, 2)
    capital = KnowledgeTriple("Paris", "capital Of", "France")
    assert said(space, "the City of Light") == [capital]
    assert said(space, "Paris") == [capital, KnowledgeTriple("Paris", "son Of", "King Priam")]


def test_candidates_are_cut_at_the_limit_the_last_named_first(space):
    hub = [("Nashville", "has", f"thing {number}") for number in range(1_500)]
    base_of(space, tsv([*hub, ("Oslo", "in", "Norway")]))
    found = said(space, "Oslo?", "Nashville!", limit=1_000)
    assert found == [KnowledgeTriple(*parts) for parts in hub[:1_000]]
    assert said(space, "Nashville?", "Oslo!", limit=1_000)[0] == KnowledgeTriple("Oslo", "in", "Norway")
    assert said(space, "Nashville", limit=0) == []


def test_search_takes_five_queries_at_any_number_of_names(space):
    base_of(space)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        said(space, *["Carrie and Stephan King wrote of horror in wellington " * 20] * 5)
    assert len(queries) == 5


def test_long_dialogue_is_read_from_its_end(space):
    base_of(space)
    assert said(space, "Carrie " + "blah " * 400) == []
    assert said(space, "blah " * 390 + "Carrie") == TRIPLES[1:3]


def test_same_file_twice_is_there_once_and_its_name_is_kept(space):
    base, before = base_of(space), counted()
    assert knowledge_import(space=space, file=knowledge_file(tsv(BOOKS), "other.tsv"), name="Again") == (base, False)
    with pytest.raises(KnowledgeRefused, match="There is a knowledge base 'Books' already"):
        knowledge_import(space=space, file=knowledge_file("a\tb\tc\n"), name="Books")
    assert counted() == before and KnowledgeBaseRecord.objects.count() == 1


def test_bad_line_leaves_a_failed_base_without_rows_that_a_good_file_mends(space):
    with pytest.raises(KnowledgeFileRefused, match=r"books\.tsv, line 6: expected a subject"):
        knowledge_import(space=space, file=knowledge_file(tsv(BOOKS) + "oops\n", form="tsv"), name="Books")
    failed = KnowledgeBaseRecord.objects.get()
    assert failed.state == "failed" and "line 6" in failed.error and counted() == [0, 0, 0, 0]
    assert said(space, "Carrie") == []
    mended = base_of(space)
    assert (mended.pk, mended.state, mended.error) == (failed.pk, "ready", "")
    assert said(space, "Carrie") == TRIPLES[1:3]


def test_file_that_states_nothing_is_refused(space):
    with pytest.raises(KnowledgeFileRefused, match="states nothing"):
        knowledge_import(space=space, file=knowledge_file("_:a\t<b>\t!\n", form="tsv"), name="Books")


@pytest.mark.parametrize("step", ["STORE_ALIASES", "STORE_TRIPLES", "STORE_PASSAGES"])
def test_import_that_breaks_while_it_stores_leaves_nothing_and_begins_anew(space, monkeypatch, step):
    with monkeypatch.context() as broken:
        broken.setattr(storing, step, "insert into nowhere values (%(base)s)")
        with pytest.raises(DatabaseError):
            base_of(space)
    assert KnowledgeBaseRecord.objects.get().state == "importing"
    assert counted() == [0, 0, 0, 0] and said(space, "Carrie") == []
    base_of(space)
    assert said(space, "Carrie") == TRIPLES[1:3]


def test_interrupted_reading_leaves_nothing_and_begins_anew(space):
    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        base_of(space, on_progress=interrupt)
    assert counted() == [0, 0, 0, 0]
    told: list[float] = []
    assert base_of(space, on_progress=told.append).state == "ready"
    assert told[-1] == 1.0 and told == sorted(told)


def test_base_that_is_removed_while_it_is_imported_stays_away(space):
    with pytest.raises(KnowledgeRefused, match="removed while it was imported"):
        base_of(space, on_progress=lambda share: knowledge_remove(base=KnowledgeBaseRecord.objects.get()))
    assert not KnowledgeBaseRecord.objects.exists() and counted() == [0, 0, 0, 0]


def test_other_space_finds_and_loses_nothing(space, ana):
    elsewhere = space_create(name="Elsewhere", owner=ana)
    base_of(space)
    base_of(elsewhere, "Carrie\tis\ta name\n", "Names")
    assert said(elsewhere, "Carrie") == [KnowledgeTriple("Carrie", "is", "a name")]
    space_forget(space=elsewhere)
    assert said(space, "Carrie") == TRIPLES[1:3]


def test_forgotten_space_leaves_nothing_of_its_knowledge(space, ana):
    base_of(space)
    base_of(space, jsonl(PASSAGES), "Passages")
    knowledge_upload(space=space, content=b"Blinky Bill\tis\ta koala\n", file_name="a.tsv", name="Waiting")
    space_forget(space=space)
    assert counted() == [0, 0, 0, 0]
    assert not any("Blinky" in text or "koala" in text for text in every_text_of_the_database())


def test_removed_base_is_gone_and_the_others_stay(space):
    base_of(space, "Carrie\tis\ta name\n", "Names")
    books = base_of(space)
    knowledge_promise_removal(base=books)
    assert said(space, "Carrie") == [KnowledgeTriple("Carrie", "is", "a name")]
    assert knowledge_work(base_id=books.pk) and not knowledge_work(base_id=books.pk)
    assert [base.name for base in KnowledgeBaseRecord.objects.all()] == ["Names"]
    assert counted() == [2, 1, 1, 0]


def test_upload_is_imported_in_the_background_and_its_file_is_not_kept(space):
    base = knowledge_upload(space=space, content=tsv(BOOKS).encode(), file_name="../b.tsv", name="Books", licence="CC0")
    assert (base.state, base.source, base.licence) == ("importing", "b.tsv", "CC0")
    assert said(space, "Carrie") == []
    assert knowledge_work(base_id=base.pk) and not knowledge_work(base_id=base.pk)
    assert said(space, "Carrie") == TRIPLES[1:3]
    assert not KnowledgeUploadRecord.objects.exists()


def test_upload_that_cannot_be_read_says_why(space):
    base = knowledge_upload(space=space, content=(tsv(BOOKS * 5) + "oops\n").encode(), file_name="b.tsv", name="Books")
    assert not knowledge_work(base_id=base.pk)
    base.refresh_from_db()
    assert base.state == "failed" and "b.tsv, line 26" in base.error
    assert not KnowledgeUploadRecord.objects.exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n", "line 1: expected text in UTF-8"),
        (b"1\n0 1 2\n", "OpenDialKG is three files"),
        (b"a\tb\tc\n" * (UPLOAD_LIMIT // 6 + 1), "larger than 16 MB"),
    ],
)
def test_upload_is_refused_at_once_for_what_it_holds(space, content, told):
    with pytest.raises(KnowledgeRefused, match=told):
        knowledge_upload(space=space, content=content, file_name="b.tsv", name="Books")
    assert not KnowledgeBaseRecord.objects.exists()


def test_work_that_a_worker_left_is_promised_again_once(space):
    base = knowledge_upload(space=space, content=b"a\tb\tc\n", file_name="b.tsv", name="Books")
    assert knowledge_waiting_promise(limit=10) == 0
    KnowledgeBaseRecord.objects.update(progressed_at="2020-01-01T00:00Z")
    assert (knowledge_waiting_promise(limit=10), knowledge_waiting_promise(limit=10)) == (1, 0)
    knowledge_work(base_id=base.pk)
    KnowledgeBaseRecord.objects.update(progressed_at="2020-01-01T00:00Z")
    assert knowledge_waiting_promise(limit=10) == 0


def test_evidence_is_as_the_index_in_memory_finds_it(space, ana):
    base_of(space, jsonl(PASSAGES), "Passages")
    base_of(space_create(name="Elsewhere", owner=ana), jsonl([Ground("A koala.", title="Koala")]), "Others")
    index, store = PassageIndex(PASSAGES), SpaceKnowledge(space.pk)
    for fact, dialogue in (
        ("Dorothy Wall drew animals.", ["do you know Blinky Bill?"]),
        ("A koala sleeps all day.", []),
        ("Trams run everywhere.", ["Dorothy Wall, Blinky Bill, koala"]),
        ("Something runs in Melbourne.", []),
        ("Nothing of it.", ["at all"]),
        ("", []),
    ):
        for limit in (1, 2, 4):
            found, expected = (one.evidence_for(fact, dialogue, limit=limit) for one in (store, index))
            assert found == expected
    assert store.evidence_for("A koala.", [], limit=0) == []


def test_commands_import_list_and_remove(space, tmp_path: Path):
    file = tmp_path / "books.tsv"
    file.write_text(tsv(BOOKS))

    def run(*words: str) -> str:
        out = StringIO()
        call_command(*words, stdout=out, stderr=StringIO())
        return out.getvalue()

    arguments = (str(file), "--space", str(space.pk), "--name", "Books")
    assert run("import_knowledge", *arguments, "--licence", "CC0") == (
        "Books: 5 triples of 7 entities, 0 other names, 0 passages.\n"
    )
    assert run("import_knowledge", *arguments) == "This file is here already, as 'Books'.\n"
    assert run("list_knowledge", "--space", space.name) == (
        "Ana's memory: Books, ready, 5 triples, 0 passages, from books.tsv, CC0\n"
    )
    assert run("remove_knowledge", "Books", "--space", space.name) == "Books: removed.\n"
    assert run("list_knowledge").startswith("There is no knowledge base.")
    for words, told in (
        (("remove_knowledge", "Books", "--space", space.name), "no knowledge base 'Books'"),
        (("import_knowledge", str(tmp_path / "none"), *arguments[1:]), "none cannot be read: No such file"),
        (("import_knowledge", str(file), "--form", "passages", *arguments[1:]), "line 1: expected an object"),
        (("import_knowledge", str(file), "--aliases", "gone", *arguments[1:]), "gone cannot be read"),
    ):
        with pytest.raises(CommandError, match=told):
            run(*words)


def test_import_takes_over_from_an_upload_that_still_waits(space):
    waiting = knowledge_upload(space=space, content=b"a\tb\tc\n", file_name="b.tsv", name="Books")
    assert base_of(space).pk == waiting.pk
    assert not KnowledgeUploadRecord.objects.exists() and not knowledge_work(base_id=waiting.pk)
    assert said(space, "Carrie") == TRIPLES[1:3]


def test_import_that_another_process_runs_is_not_begun_twice(space):
    base = knowledge_upload(space=space, content=tsv(BOOKS).encode(), file_name="b.tsv", name="Books")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("select pg_advisory_lock(%s)", [LOCK_BASE | base.pk])
        assert not knowledge_work(base_id=base.pk)
        with pytest.raises(KnowledgeRefused, match="is being imported"):
            base_of(space, "a\tb\tc\n")
        assert KnowledgeBaseRecord.objects.get().digest == base.digest
        with other.cursor() as cursor:
            cursor.execute("select pg_advisory_unlock(%s)", [LOCK_BASE | base.pk])
    finally:
        other.close()
    with advisory_lock(LOCK_BASE | base.pk) as is_mine:
        assert is_mine
    assert knowledge_work(base_id=base.pk)
