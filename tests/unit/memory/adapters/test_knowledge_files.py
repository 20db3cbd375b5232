"""Files of knowledge are read line by line, and what is wrong with one is told with its line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from memory.adapters.knowledge_files import (
    FORMS,
    KnowledgeFileRefused,
    Lines,
    NameKind,
    StatedName,
    StatedPassage,
    StatedTriple,
    form_told,
)
from memory.adapters.knowledge_files.lines import LONGEST_LINE
from memory.adapters.knowledge_files.ntriples import readable
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.adapters.knowledge_files.tsv import read_aliases
from memory.core.grounded_generation.knowledge import KnowledgeTriple

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
OTHER = "<http://www.w3.org/2004/02/skos/core#altLabel>"


def lines(content: str | bytes) -> Lines:
    return Lines(io.BytesIO(content if isinstance(content, bytes) else content.encode()), "file")


def read(form: str, content: str | bytes) -> list[object]:
    return list(FORMS[form].read(lines(content), None))


def test_tsv_is_read_with_inverse_relations_a_header_and_blank_lines():
    content = "\ufeffsubject\trelation\tobject\nIt\twritten by\tStephen King\r\n\nStephen King\t~written by\t Carrie \n"
    assert read("tsv", content) == [
        StatedTriple(2, "It", "written by", "Stephen King"),
        StatedTriple(4, "Carrie", "written by", "Stephen King"),
    ]


@pytest.mark.parametrize(
    ("form", "content", "told"),
    [
        ("tsv", "a\tb\tc\na\tb\n", "file, line 2: expected a subject, a relation and an object"),
        ("tsv", "a\t \tc\n", "line 1: expected a subject"),
        ("tsv", b"a\tb\tc\n\xff\tb\tc\n", "line 2: expected text in UTF-8"),
        ("tsv", "a\tb\t\x00\n", "line 1: expected text, found"),
        ("tsv", "a\tb\t" + "c" * LONGEST_LINE, "line 1: a line has at most 1,048,576 bytes"),
        ("ntriples", "<a> <b> <c> .\n<a> <b> <c>\n", "line 2: expected a statement of N-Triples"),
        ("ntriples", '<a> <b> "\\uD800" .\n', "line 1: expected the escapes"),
        ("ntriples", '<a> <b> "\\x" .\n', "line 1: expected the escapes"),
        ("passages", '{"title": "A", "text": ""}\n', "line 1: expected an object .* text: String should have"),
        ("passages", '{"text": "a"}\n[1]\n', "line 2: expected an object"),
        ("passages", '{"text": "a\\u0000"}\n', "line 1: expected text"),
        ("opendialkg", "1\n0 1 2\n", "OpenDialKG is three files"),
    ],
)
def test_bad_line_is_named(form: str, content: str, told: str):
    with pytest.raises(KnowledgeFileRefused, match=told):
        read(form, content)


def test_ntriples_have_labels_other_labels_and_literals_without_other_languages():
    content = f"""# a comment
<http://e/Q1> {LABEL} "Paris"@en .
<http://e/Q1> {LABEL} "Paname"@fr .
<http://e/Q1> {OTHER} "City of \\"Light\\" \\u00e9" .
<http://e/Q1> <http://e/isCapitalOf> _:b1 . # France
<http://e/Q1><http://e/population>"2102650"^^<http://www.w3.org/2001/XMLSchema#integer>.
"""
    assert read("ntriples", content) == [
        StatedName(2, "<http://e/Q1>", "Paris", NameKind.LABEL),
        StatedName(4, "<http://e/Q1>", 'City of "Light" é', NameKind.ALIAS),
        StatedTriple(5, "<http://e/Q1>", "<http://e/isCapitalOf>", "_:b1"),
        StatedTriple(6, "<http://e/Q1>", "<http://e/population>", '"2102650'),
    ]


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        ("<http://dbpedia.org/resource/New_York%20City>", "New York City"),
        ("<http://e/ontology#birthPlace>", "birth Place"),
        ("<http://e/>", "e"),
        ("<urn:isbn:123>", "123"),
        ('"1965', "1965"),
        ("_:b1", ""),
        ("<>", ""),
    ],
)
def test_thing_without_a_label_is_called_by_the_end_of_its_iri(identity: str, name: str):
    assert readable(identity) == name


def test_passages_and_aliases_are_read():
    assert read("passages", '{"title": " Koala ", "text": "Eats leaves."}\n{"text": "No title."}') == [
        StatedPassage(1, "Koala", "Eats leaves."),
        StatedPassage(2, "", "No title."),
    ]
    assert list(read_aliases(lines("Stephen King\tRichard  Bachman\n"))) == [
        StatedName(1, "Stephen King", "Richard Bachman", NameKind.ALIAS)
    ]
    with pytest.raises(KnowledgeFileRefused, match="file, line 1: expected a name and an alias"):
        list(read_aliases(lines("Stephen King\n")))


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("a\tb\tc\n", "tsv"),
        ("1\t2\t3\n", "tsv"),
        ("2\n1\t2\t3\n4 5 6\n", "opendialkg"),
        ("# said by\n_:a <b> <c> .\n", "ntriples"),
        ('{"title": "A", "text": "b"}\n', "passages"),
    ],
)
def test_format_is_told_by_the_first_lines(content: str, form: str):
    assert form_told(lines(content)) == form


@pytest.mark.parametrize(("content", "told"), [("", "is empty"), ("Hello there.\n", "none of the formats .* 'Hello")])
def test_file_of_no_format_is_refused(content: str, told: str):
    with pytest.raises(KnowledgeFileRefused, match=told):
        form_told(lines(content))


def test_opendialkg_needs_its_names_beside_it(tmp_path: Path):
    (tmp_path / "valid2id.txt").write_text("1\n0\t1\t0\n")
    (tmp_path / "relation2id.txt").write_text("1\n~written by\t0\n")
    with pytest.raises(KnowledgeFileRefused, match=r"entity2id\.txt must lie beside"):
        list(read_knowledge(tmp_path / "valid2id.txt"))
    (tmp_path / "entity2id.txt").write_text("2\nStephen King\t0\nIt\t1\n")
    assert list(read_knowledge(tmp_path / "valid2id.txt")) == [KnowledgeTriple("It", "written by", "Stephen King")]
    (tmp_path / "entity2id.txt").write_text("2\nStephen King\n")
    with pytest.raises(KnowledgeFileRefused, match=r"entity2id\.txt, line 2: expected a name and its number"):
        list(read_knowledge(tmp_path / "valid2id.txt"))
