"""Files that want to reach out, to blow up or to slip something in, and plain garbage: one sentence, and nothing else."""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.request

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.rdf.foreign import foreign_facts
from memory.core.knowledge_graph.rdf.parsing import GraphFileLimits, GraphFileRefused, Statement, parsed
from memory.core.knowledge_graph.rdf.reading import graph_file_of
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.knowledge_graph.test_rdf_round_trip import FORMATS, WHOLE, document

TURTLE, JSON_LD, RDF_XML, N_QUADS = GraphFormat.TURTLE, GraphFormat.JSON_LD, GraphFormat.RDF_XML, GraphFormat.N_QUADS
LIMITS = GraphFileLimits()
DESCRIBED = '<rdf:Description rdf:about="http://e/a"><e:p xmlns:e="http://e/">{}</e:p></rdf:Description></rdf:RDF>'
RDF_OPEN = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'


@pytest.fixture(autouse=True)
def nothing_is_reached(monkeypatch):
    """Fail at the first attempt to reach anything."""

    def reach(*args: object, **kwargs: object) -> None:
        raise AssertionError(f"reached out: {args}")

    monkeypatch.setattr(socket.socket, "connect", reach)
    monkeypatch.setattr(urllib.request, "urlopen", reach)


def statements(text: str | bytes, form: GraphFormat, limits: GraphFileLimits = LIMITS) -> list[Statement]:
    return parsed(text.encode() if isinstance(text, str) else text, form, limits)


def refusal(text: str | bytes, form: GraphFormat, limits: GraphFileLimits = LIMITS) -> str:
    with pytest.raises(GraphFileRefused) as refused:
        statements(text, form, limits)
    message = str(refused.value)
    assert message.endswith(".") and len(message) < 300 and "Traceback" not in message
    return message


LAUGHS = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' + RDF_OPEN + DESCRIBED.format("&b;")
EXTERNAL = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + RDF_OPEN + DESCRIBED.format("&x;")
REMOTE_TYPE = '<!doctype rdf:RDF SYSTEM "http://169.254.169.254/x.dtd">' + RDF_OPEN + DESCRIBED.format("x")


@pytest.mark.parametrize("text", [LAUGHS, EXTERNAL, REMOTE_TYPE])
def test_xml_with_a_document_type_or_entities_is_refused(text):
    assert "document type or entities" in refusal(text, RDF_XML)


@pytest.mark.parametrize("encoding", ["utf-16", "cp037", "utf-16-le", "utf-32"])
def test_xml_cannot_hide_entities_in_another_encoding(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + EXTERNAL
    refusal(text.encode(encoding), RDF_XML)
    assert "not in UTF-8" in refusal(f'<?xml version="1.0" encoding="{encoding}"?>{RDF_OPEN}</rdf:RDF>', RDF_XML)


@pytest.mark.parametrize(
    "context",
    [
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "context.jsonld",
        ["https://schema.org/"],
        [{"e": "http://e/"}, "https://schema.org/"],
        {"@import": "http://e/context"},
        [{"@import": "http://e/context"}],
        {"e": {"@id": "http://e/p", "@context": "http://e/scoped"}},
        {"e": {"@id": "http://e/p", "@context": {"f": "http://e/f"}}},
        3,
    ],
)
@pytest.mark.parametrize("depth", [0, 2])
def test_json_ld_context_from_elsewhere_is_refused(context, depth):
    node: object = {"@context": context, "@id": "http://e/a", "e": "x"}
    for _ in range(depth):
        node = {"@graph": [node]}
    message = refusal(json.dumps(node), JSON_LD)
    assert "context" in message


def test_json_ld_with_its_own_context_is_read():
    text = json.dumps({"@context": {"e": "http://e/"}, "@id": "e:a", "e:p": [{"@value": "x"}, {"@id": "e:b"}]})
    assert len(statements(text, JSON_LD)) == 2


@pytest.mark.parametrize("form", FORMATS)
def test_too_large_a_file_is_refused_before_it_is_read(form):
    began = time.process_time()
    assert refusal(b" " * (30 * 1024 * 1024), form) == "The file is larger than 20 MB."
    assert time.process_time() - began < 1


@pytest.mark.parametrize("form", [TURTLE, N_QUADS])
def test_too_many_triples_are_refused(form):
    text = "".join(f"<http://e/{number}> <http://e/p> <http://e/o> .\n" for number in range(5_001))
    assert "more than 5,000 triples" in refusal(text, form, GraphFileLimits(triples=5_000))
    assert len(statements(text, form, GraphFileLimits(triples=5_001))) == 5_001


def test_too_long_a_text_is_refused():
    assert "more than 100,000 characters" in refusal(f'<http://e/a> <http://e/p> "{"x" * 100_001}" .', TURTLE)


def test_names_that_grow_while_they_are_read_are_refused():
    prefix = f"@prefix e: <http://e/{'x' * 1_000_000}> .\n" + "e:a e:p e:b .\n" * 100_000
    base = f"@base <http://e/{'x' * 1_000_000}/> .\n" + "<a> <p> <b> .\n" * 100_000
    context = json.dumps(
        {
            "@context": {"e": f"http://e/{'x' * 1_000_000}/"},
            "@graph": [{"@id": f"e:{n}", "e:p": 1} for n in range(9999)],
        }
    )
    for text, form in ((prefix, TURTLE), (base, TURTLE), (context, JSON_LD)):
        began = time.process_time()
        assert "more than 4,000 characters" in refusal(text, form)
        assert time.process_time() - began < 10


def test_one_endless_line_of_n_quads_costs_no_more_than_its_length():
    began = time.process_time()
    assert "line 1" in refusal("<http://e/a> " * 400_000, N_QUADS)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("[" * 50_000, JSON_LD),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, JSON_LD),
        ("<http://e/a> <http://e/p> " + "( " * 50_000, TURTLE),
        ("[ <http://e/p> " * 50_000, TURTLE),
        (RDF_OPEN + "<rdf:Description>" * 50_000, RDF_XML),
    ],
)
def test_deep_nesting_is_refused(text, form):
    refusal(text, form)


@pytest.mark.parametrize(
    ("text", "form", "line"),
    [
        ("<http://e/a> <http://e/p> <http://e/b> .\n\n<http://e/a> oops", TURTLE, "line 3"),
        ('{\n"@id": "http://e/a",\n}', JSON_LD, "line 3"),
        (f"{RDF_OPEN}\n<rdf:Description>\n</wrong>", RDF_XML, "line 3"),
        ("<http://e/a> <http://e/p> <http://e/b> .\n<http://e/a> <http://e/p> .\n", N_QUADS, "line 2"),
    ],
)
def test_broken_file_is_refused_with_the_line(text, form, line):
    assert line in refusal(text, form)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe\x00", b"PK\x03\x04\x00", b"\0"])
def test_what_is_no_text_is_refused(form, content):
    refusal(content, form)


@pytest.mark.parametrize("text", ['<http://e/a> <http://e/p> "a\\u0000b" .', '<http://e/a> <http://e/p> "\\uD800" .'])
@pytest.mark.parametrize("form", [TURTLE, N_QUADS])
def test_characters_that_no_database_takes_are_refused(text, form):
    refusal(text, form)


def test_relative_names_do_not_tell_where_the_server_stands():
    for text, form in (
        ("<#a> <#p> <b> .", TURTLE),
        (json.dumps({"@context": {"p": {"@id": "http://e/p", "@type": "@id"}}, "@id": "#a", "p": "b"}), JSON_LD),
        (
            f'{RDF_OPEN}<rdf:Description rdf:about="#a"><e:p xmlns:e="http://e/" rdf:resource="b"/></rdf:Description>'
            "</rdf:RDF>",
            RDF_XML,
        ),
    ):
        [found] = statements(text, form)
        assert found.subject.startswith("https://dsmart.example/file/") and "file:" not in f"{found}"


BROKEN = {
    "has no": ("rec:polarity", "rec:other"),
    "cannot be understood": ('"0.85"', '"much"'),
    "It can be": ('rec:tense "present"', 'rec:tense "once"'),
    "does not describe": ("rec:subject <https://dsmart.example/spaces/7/entities/1>", "rec:subject <http://e/none>"),
    "but not when": ("prov:invalidatedAtTime", "rec:otherTime"),
    "is empty": ('rdfs:label "Paris"', 'rdfs:label ""'),
    "is not a value": ('rec:confidence "0.85"^^xsd:double', "rec:confidence rec:x"),
    "more than one": ('rec:tense "present"', 'rec:tense "present", "past"'),
    "more than 60": ('rec:kind "Person"', f'rec:kind "{"P" * 61}"'),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_description_that_cannot_be_taken_is_refused_with_its_place(reason):
    text = document(WHOLE, TURTLE)
    old, new = BROKEN[reason]
    assert old in text
    with pytest.raises(GraphFileRefused) as refused:
        graph_file_of(statements(text.replace(old, new), TURTLE))
    assert reason.replace("has no", "gives no") in str(refused.value)


@pytest.mark.parametrize("moment", ["2024-01-01", "2024-01-01T00:00:00", "yesterday", "0001-01-01T00:00:00+00:00", ""])
def test_time_without_a_zone_or_outside_the_calendar_is_refused(moment):
    text = document(WHOLE, TURTLE)
    shown = re.search(r'prov:startedAtTime "([^"]*)"', text)
    broken = text.replace(shown[0], f'prov:startedAtTime "{moment}"')
    with pytest.raises(GraphFileRefused, match=r"startedAtTime of .* cannot be understood"):
        graph_file_of(statements(broken, TURTLE))


def is_read_or_refused(content: bytes, form: GraphFormat) -> bool:
    """Return whether a file is read to facts whose spans fit, or refused in a sentence; anything else it raises."""
    try:
        file = graph_file_of(parsed(content, form, LIMITS))
        facts = foreign_facts(file.others, file.labels)
    except GraphFileRefused as refused:
        return str(refused).endswith(".")
    return all(fact.fact.span.end == len(fact.sentence) > 0 for fact in facts)


DOCUMENTS = {form: document(WHOLE, form, with_ontology=False) for form in FORMATS}


@settings(max_examples=examples(250), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), form=st.sampled_from(FORMATS))
def test_mutated_files_are_read_or_refused(data, form):
    text = DOCUMENTS[form]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 200)))
    garbage = data.draw(
        st.one_of(st.text(max_size=20), st.sampled_from(['"', "<", "{", "}", "\\", "&x;", "@", "[]", "\0"]))
    )
    assert is_read_or_refused((text[:start] + garbage + text[end:]).encode("utf-8", "replace"), form)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)), form=st.sampled_from(FORMATS))
def test_garbage_is_read_or_refused(content, form):
    assert is_read_or_refused(content, form)


@pytest.mark.parametrize("form", [TURTLE, N_QUADS])
def test_names_that_a_prefix_makes_long_are_refused_together(form):
    long = "http://e/" + "x" * 1000
    lines = [f"<{long}{number}> <http://e/p> <http://e/o> .\n" for number in range(100)]
    limits = GraphFileLimits(characters=50_000)
    assert "have more than 50,000 characters" in refusal("".join(lines), form, limits)
    assert "have more than 50,000" in refusal(
        f"@prefix p: <{long}> .\n" + "".join(f"p:{number} p:p p:o .\n" for number in range(100)), TURTLE, limits
    )
    assert len(statements("".join(lines[:40]), form)) == 40


def test_lines_of_n_quads_are_counted_with_the_empty_ones():
    assert "line 6" in refusal("\n\r\n\n<http://e/a> <http://e/p> <http://e/o> .\r\n\n?\n", N_QUADS)
    began = time.process_time()
    assert len(statements("\n" * 5_000_000 + "<http://e/a> <http://e/p> <http://e/o> .", N_QUADS)) == 1
    assert time.process_time() - began < 10
