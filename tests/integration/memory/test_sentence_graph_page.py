"""The sentence graph and the digests on the dashboard: what is shown of them, as of when, how much of it, and to whom."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory import bootstrap
from memory.core.errors import EmbedderChanged
from memory.models import DigestRecord, EditRecord, SentenceEdge, SentenceRecord, Session, Space
from memory.selectors import sentence_graph as selectors
from memory.services import space_create
from tests.fakes.engines import WordEmbedder
from tests.integration.memory.graphs import START, spoken

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12
SAID = (
    "I keep bees in the garden.",
    "The bees like the lavender.",
    "My sister plants lavender.",
    "I have a boat.",
    "The boat is blue.",
    "Bees do not like boats.",
)
# Whose neighbour is whose: a chain of four, a pair apart, and one that leads into both.
EDGES = ((0, 1, 0.9), (1, 0, 0.9), (1, 2, 0.7), (2, 1, 0.7), (3, 4, 0.8), (4, 3, 0.8), (5, 3, 0.6), (5, 0, 0.5))
HOSTILE = ("'; drop table memory_space; --", "1" * 400, "<script>alert(1)</script>", "-1", "0", "٣", "1.5")


@pytest.fixture
def reader(ana: User, monkeypatch) -> Client:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def said(space: Space) -> list[SentenceRecord]:
    session = Session.objects.create(space=space, started_at=START, title="In the garden")
    rows = [spoken(session, text) for text in SAID]
    ranks: dict[int, int] = {}
    for source, target, similarity in EDGES:
        rank = ranks[source] = ranks.get(source, -1) + 1
        SentenceEdge.objects.create(
            space=space, sentence=rows[source], neighbour=rows[target], rank=rank, similarity=similarity
        )
    return rows


def page(client: Client, space: Space, **asked: object) -> str:
    answer = client.get(reverse("space-sentence-graph", args=[space.pk]), asked)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def drawn(client: Client, space: Space, **asked: object) -> dict:
    answer = client.get(reverse("space-sentence-graph-data", args=[space.pk]), asked)
    assert answer.status_code == 200
    return answer.json()


def numbers(said: list[SentenceRecord], html: str) -> list[int]:
    """Return the places in SAID of the sentences of the table, in its order."""
    keys = [row.pk for row in said]
    return [keys.index(int(pk)) for pk in re.findall(r'<tr id="row-(\d+)"', html)]


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def test_sentence_stands_among_its_neighbours_and_theirs(reader, space, said):
    html = page(reader, space, sentence=said[0].pk)
    assert numbers(said, html) == [0, 1, 5, 2, 3]
    words = plain(html[html.index("<tbody>") : html.index("</tbody>")])
    assert "the middle" in words and words.count("near to those") == 2
    assert "round 1 of “In the garden”" in words
    data = drawn(reader, space, sentence=said[0].pk)
    ends = {(edge["source"], edge["target"]): edge for edge in data["edges"]}
    pair = ends[f"sentence-{said[0].pk}", f"sentence-{said[1].pk}"]
    assert (pair["label"], pair["is_mutual"]) == ("0.90", True)
    assert (f"sentence-{said[1].pk}", f"sentence-{said[0].pk}") not in ends
    assert ends[f"sentence-{said[5].pk}", f"sentence-{said[0].pk}"]["is_mutual"] is False
    assert [node["entity"] for node in data["nodes"] if "entity" in node] == [said[i].pk for i in (0, 1, 5, 2, 3)]
    assert [node["id"] for node in data["nodes"] if node.get("is_root")] == [f"sentence-{said[0].pk}"]


def test_members_of_turn_round_and_session_are_drawn_for_the_middle_or_for_all(reader, space, said):
    turn = said[0].turn
    chain = [f"sentence-{said[0].pk}", f"turn-{turn.pk}", f"round-{turn.round_id}", f"session-{turn.session_id}"]

    def members(**asked: object) -> list[tuple[str, str]]:
        edges = drawn(reader, space, sentence=said[0].pk, **asked)["edges"]
        return [(edge["source"], edge["target"]) for edge in edges if edge.get("is_place")]

    assert members() == list(pairwise(chain))
    assert len(members(places="all")) == 15 and set(members()) <= set(members(places="all"))
    labels = {node["id"]: node["label"] for node in drawn(reader, space, sentence=said[0].pk)["nodes"]}
    assert (labels[chain[1]], labels[chain[2]], labels[chain[3]]) == ("a turn of you", "round 1", "In the garden")


def test_nothing_asked_begins_from_the_latest_sentence(reader, space, said):
    assert numbers(said, page(reader, space)) == [5, 3, 0, 1, 4]
    assert numbers(said, page(reader, space, as_of=said[2].turn_id)) == [2, 1, 0]


def test_as_of_a_turn_only_what_had_been_said_is_shown(reader, space, said):
    html = page(reader, space, sentence=said[0].pk, as_of=said[1].turn_id)
    assert numbers(said, html) == [0, 1] and "among what had been said by then" in html
    assert numbers(said, page(reader, space, sentence=said[3].pk, as_of=said[3].turn_id)) == [3]
    assert "Nothing near to this sentence had been said yet." in plain(
        page(reader, space, sentence=said[3].pk, as_of=said[3].turn_id)
    )
    late = {"sentence": said[5].pk, "as_of": said[1].turn_id}
    for name in ("space-sentence-graph", "space-sentence-graph-data"):
        assert reader.get(reverse(name, args=[space.pk]), late).status_code == 404


def test_search_by_words_and_by_meaning_leads_to_a_sentence(reader, space, said):
    html = page(reader, space, q="lavender", by="words")
    assert re.findall(r'id="found-(\d+)"', html) == [str(said[2].pk), str(said[1].pk)]
    assert numbers(said, html)[0] == 2
    html = page(reader, space, q="The boat is blue")
    assert re.findall(r'id="found-(\d+)"', html)[0] == str(said[4].pk) and numbers(said, html)[0] == 4
    html = page(reader, space, q="The boat is blue", as_of=said[1].turn_id)
    assert set(re.findall(r'id="found-(\d+)"', html)) <= {str(said[0].pk), str(said[1].pk)}
    html = page(reader, space, q="zebra", by="words")
    assert "Nothing like that was said." in html and 'id="graph-picture"' not in html
    # What was chosen of what was found stays in the middle.
    assert numbers(said, page(reader, space, q="lavender", by="words", sentence=said[1].pk))[0] == 1


def test_search_by_meaning_that_cannot_be_had_says_why_and_looks_for_the_words(reader, space, said, monkeypatch):
    def refuse(texts):
        raise EmbedderChanged("The vectors are of another embedder. Run `manage.py reembed`.")

    changed = WordEmbedder()
    monkeypatch.setattr(changed, "embed", refuse)
    monkeypatch.setattr(bootstrap, "embedder", lambda: changed)
    html = page(reader, space, q="lavender")
    assert "Run `manage.py reembed`." in unescape(html)
    assert re.findall(r'id="found-(\d+)"', html) == [str(said[2].pk), str(said[1].pk)]


def test_hub_of_many_is_shown_with_its_nearest(reader, space, said, monkeypatch):
    session = said[0].turn.session
    thanks = [spoken(session, f"Thank you, bees {number}.") for number in range(60)]
    SentenceEdge.objects.bulk_create(
        SentenceEdge(space=space, sentence=one, neighbour=said[0], rank=0, similarity=0.3 + number / 1000)
        for number, one in enumerate(thanks)
    )
    graph = selectors.sentence_neighbourhood(space, said[0].pk, None)
    near = [one.sentence for one in graph.sentences if one.distance == 1]
    assert near[:2] == [said[1], said[5]] and near[2:] == list(reversed(thanks))[: selectors.INWARD - 2]
    monkeypatch.setattr(selectors, "SENTENCES", 4)
    cut = selectors.sentence_neighbourhood(space, said[0].pk, None)
    assert cut.is_cut and len(cut.sentences) == 4
    assert "There are more than fit here." in page(reader, space, sentence=said[0].pk)


def test_panel_tells_the_sentence_its_place_and_what_is_near(reader, space, said):
    address = reverse("space-sentence-graph-panel", args=[space.pk, said[1].pk])
    html = reader.get(address, {"sentence": said[0].pk}).content.decode()
    assert SAID[1] in html and "Go on from here" in html and "0.70" in html
    assert reverse("sentence", args=[said[1].pk]) in html
    assert f"{reverse('space-sentence-graph', args=[space.pk])}?sentence={said[1].pk}" in html
    assert "Go on from here" not in reader.get(address, {"sentence": said[1].pk}).content.decode()
    assert f"?sentence={said[1].pk}" in reader.get(reverse("space-sentences", args=[space.pk])).content.decode()


def test_empty_memory_says_what_will_stand_there(reader, space):
    assert "Nothing was said yet." in page(reader, space) and drawn(reader, space)["nodes"] == []
    assert "Nothing was written yet." in reader.get(reverse("space-digests", args=[space.pk])).content.decode()


def test_unread_sentence_asks_again_until_its_neighbours_are_there(reader, space):
    session = Session.objects.create(space=space, started_at=START)
    spoken(session, "I keep bees.", maintenance="pending")
    html = page(reader, space)
    assert "is still being read" in html and "every 4s" in html


@pytest.mark.parametrize("name", ["space-sentence-graph", "space-sentence-graph-data", "space-digests"])
def test_hostile_parameters_are_answered_with_a_page_or_not_found(reader, space, said, name):
    for parameter in ("q", "by", "sentence", "about", "as_of", "places", "view", "kind", "session", "before"):
        for value in HOSTILE:
            answer = reader.get(reverse(name, args=[space.pk]), {parameter: value})
            assert answer.status_code in (200, 404), (parameter, value)
            assert b"<script>alert" not in answer.content


def test_pages_cost_at_most_twelve_queries(reader, space, said, digested):
    at = said[4].turn_id
    for name, asked in (
        ("space-sentence-graph", {}),
        ("space-sentence-graph", {"q": "bees", "as_of": at}),
        ("space-sentence-graph", {"q": "bees", "by": "words", "sentence": said[0].pk, "as_of": at, "places": "all"}),
        ("space-sentence-graph-data", {"sentence": said[0].pk, "as_of": at, "places": "all"}),
        ("space-digests", {}),
        ("space-digests", {"q": "bees", "kind": "fact", "session": said[0].turn.session_id, "as_of": at}),
    ):
        with CaptureQueriesContext(connection) as seen:
            assert reader.get(reverse(name, args=[space.pk]), asked).status_code == 200
        assert len(seen) <= MOST_QUERIES, (name, asked, [one["sql"][:100] for one in seen])


def test_nothing_of_it_is_found_by_another(space, said, digested):
    ben = Client()
    ben.force_login(User.objects.create_user("ben"))
    for name, keys in (
        ("space-sentence-graph", [space.pk]),
        ("space-sentence-graph-data", [space.pk]),
        ("space-sentence-graph-panel", [space.pk, said[0].pk]),
        ("space-digests", [space.pk]),
    ):
        assert ben.get(reverse(name, args=keys)).status_code == 404
    assert ben.post(reverse("digest-forget", args=[space.pk, digested[0].pk])).status_code == 404
    own = space_create(name="Ben's", owner=User.objects.get(username="ben"))
    assert ben.get(reverse("space-sentence-graph", args=[own.pk]), {"sentence": said[0].pk}).status_code == 404
    assert ben.get(reverse("space-sentence-graph-panel", args=[own.pk, said[0].pk])).status_code == 404
    assert ben.post(reverse("digest-forget", args=[own.pk, digested[0].pk])).status_code == 404
    assert DigestRecord.objects.filter(pk=digested[0].pk).exists()


@pytest.fixture
def digested(space: Space, said: list[SentenceRecord]) -> list[DigestRecord]:
    """A fact, a summary, and an insight that was drawn from the fact."""
    session, round = said[0].turn.session, said[0].turn.round
    day = timedelta(days=1)
    fact = DigestRecord.objects.create(
        space=space, kind="fact", round=round, session=session, text="Ana keeps bees.", said_at=START, engine="builtin"
    )
    summary = DigestRecord.objects.create(
        space=space, kind="summary", session=session, text="Ana spoke of her garden.", said_at=START + day
    )
    insight = DigestRecord.objects.create(space=space, kind="insight", text="Ana likes bees.", said_at=START + day)
    fact.sentences.add(said[0])
    summary.sentences.add(*said)
    insight.merges.add(fact)
    insight.sentences.add(said[0])
    return [fact, summary, insight]


def listed(client: Client, space: Space, **asked: object) -> list[int]:
    html = client.get(reverse("space-digests", args=[space.pk]), asked).content.decode()
    return [int(pk) for pk in re.findall(r'id="digest-(\d+)"', html)]


def test_digests_are_found_by_kind_words_session_and_turn(reader, space, said, digested):
    fact, summary, insight = (row.pk for row in digested)
    assert listed(reader, space) == [insight, summary, fact]
    assert listed(reader, space, kind="summary") == [summary]
    assert listed(reader, space, q="bee") == [insight, fact]
    assert listed(reader, space, session=said[0].turn.session_id) == [summary, fact]
    assert listed(reader, space, as_of=said[0].turn_id) == [fact]
    html = reader.get(reverse("space-digests", args=[space.pk])).content.decode()
    assert reverse("sentence", args=[said[0].pk]) in html and "the first of its sentences" in html
    assert "drawn from 1 fact" in plain(html) and "written by builtin" in html


def test_forgotten_digest_takes_what_was_drawn_from_it_and_leaves_the_words(reader, space, ana, digested):
    fact, summary, _ = digested
    address = reverse("digest-forget", args=[space.pk, fact.pk])
    assert reader.get(address).status_code == 405
    answer = reader.post(address, {"back": "https://evil.example/"})
    assert (answer.status_code, answer.url) == (302, reverse("space-digests", args=[space.pk]))
    assert list(DigestRecord.objects.values_list("pk", flat=True)) == [summary.pk]
    assert SentenceRecord.objects.count() == len(SAID)
    edit = EditRecord.objects.get()
    assert (edit.actor, edit.kind, edit.summary) == (ana, "forget", "Forgot a fact that was written down.")
    assert "bees" not in str(edit.undo) and reader.post(address).status_code == 404
