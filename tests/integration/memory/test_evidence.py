"""What only asks, and what the product replied, is kept and shown, and is never found as grounds of anything."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import TextField, Value
from django.db.models.functions import Cast, Concat
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory import bootstrap, selectors
from memory.core.sentence_graph.catalogue import RETRIEVERS, make_retriever
from memory.core.types import RetrievalQuery, Role, Unit
from memory.models import DigestRecord, RoundVector, SentenceEdge, SentenceRecord, Session, Space, Turn, TurnVector
from memory.selectors.lists import Asked, no_evidence_count, sentences_page, words_query
from memory.services import round_add_turn, round_complete, round_open, round_retract, space_create, space_maintain
from memory.services.edits.forget_many import memory_forget
from memory.services.reembedding import vectors_drop
from tests.integration.memory.dialogues import START, new_session
from tests.integration.memory.sentence_graphs import assert_is_exact, index_wholly

pytestmark = pytest.mark.django_db
QUESTION = "Where does my sister live?"
STATEMENTS = ["My sister lives in Lyon.", "My sister left Rome."]
REPLY = "Your sister lives where I cannot tell."
WITH_WORDS = (Unit.SENTENCE, Unit.TURN, Unit.WINDOW, Unit.SESSION)
CHUNKED = (Unit.SENTENCE, Unit.TURN, Unit.WINDOW, Unit.ROUND, Unit.SESSION)
# What a retriever ranks must be what was said; these read no dialogue, or a graph that is not here.
GRAPHLESS = set(RETRIEVERS) - {"no_history", "light_rag", "mini_rag", "kg_retriever", "ld_agent", "rmm"}


def talk(session: Session, *rounds: tuple[str, str], is_generated: bool = True) -> None:
    """Write complete rounds down: what was said, and the reply, which is the product's own unless it is not."""
    for asked, answered in rounds:
        opened = round_open(session=session, speaker="Ana", role=Role.USER, text=asked, said_at=START).round
        round_add_turn(
            round=opened,
            speaker="assistant",
            role=Role.ASSISTANT,
            text=answered,
            said_at=START,
            is_generated=is_generated,
        )
        round_complete(round=opened)
    space_maintain(space_id=session.space_id)
    index_wholly(session.space)


@pytest.fixture
def asked_often(space: Space, extractor) -> Space:
    """One question six times and two statements, each with the same reply of ours."""
    talk(new_session(space), *[(text, REPLY) for text in (*[QUESTION] * 3, STATEMENTS[0], *[QUESTION] * 3)])
    talk(new_session(space, key="later"), (STATEMENTS[1], REPLY), (QUESTION, REPLY))
    return space


def said(space: Space, unit: Unit, ids: list[int]) -> set[str]:
    return {one.text for one in bootstrap.dialogue_index(space.pk).passages_of(unit, ids)}


def test_a_question_asked_often_leaves_all_places_to_what_was_said(asked_often):
    memory = bootstrap.space_memory(asked_often.pk)
    found = memory.sentences_like(QUESTION, limit=2)
    assert {one.sentence.text for one in found} == set(STATEMENTS)
    assert [one.sentence.text for one in memory.sentences_like(QUESTION, limit=8)] == [
        one.sentence.text for one in found
    ]
    assert memory.sentences_like(REPLY, limit=8)[0].sentence.text in STATEMENTS


@pytest.mark.parametrize("unit", CHUNKED)
def test_no_search_finds_what_only_asks_or_what_the_product_replied(asked_often, unit):
    index = bootstrap.dialogue_index(asked_often.pk)
    texts = {
        Unit.SESSION: {
            "\n".join(f"Ana: {text}" for text in (*[QUESTION] * 3, STATEMENTS[0], *[QUESTION] * 3)),
            f"Ana: {STATEMENTS[1]}\nAna: {QUESTION}",
        },
        Unit.SENTENCE: set(STATEMENTS),
        Unit.TURN: set(STATEMENTS),
    }.get(unit, {f"Ana: {text}" for text in STATEMENTS})
    for words in (QUESTION, REPLY):
        [vector] = index.embed([words])
        assert said(asked_often, unit, [one.id for one in index.nearest(unit, vector, limit=9)]) == texts
        if unit in WITH_WORDS:
            assert said(asked_often, unit, [one.id for one in index.matching(unit, words, limit=9)]) == texts
    assert said(asked_often, unit, index.latest(unit, limit=9)) == texts


@pytest.mark.parametrize("name", sorted(GRAPHLESS))
def test_every_retriever_grounds_in_what_was_said(asked_often, name):
    index = bootstrap.dialogue_index(asked_often.pk)
    query = RetrievalQuery(QUESTION, asked_at=START, asked_by="Ana")
    found = make_retriever(name, index).retrieve(query, limit=8)
    turns = [one.id for one in found.chunks.get(Unit.TURN, ())]
    grounds = [one.id for one in found.sentences] + [
        one for chunks in found.chunks.values() for chunk in chunks for one in chunk.sentence_ids
    ]
    assert said(asked_often, Unit.TURN, turns) <= set(STATEMENTS)
    assert said(asked_often, Unit.SENTENCE, grounds) <= set(STATEMENTS)
    assert any(found.chunks.values())
    told = [
        one.text for unit, chunks in found.chunks.items() for one in index.passages_of(unit, [c.id for c in chunks])
    ]
    assert not any(REPLY in text for text in told)


def test_neighbours_are_evidence_alone(asked_often):
    assert_is_exact(asked_often)
    ends = set(SentenceEdge.objects.values_list("sentence__text", "neighbour__text"))
    assert ends == {tuple(STATEMENTS), tuple(reversed(STATEMENTS))}
    asking = SentenceRecord.objects.filter(text=QUESTION).values_list("pk", flat=True)
    index = bootstrap.dialogue_index(asked_often.pk)
    assert index.neighbours_of(list(asking), k=3) == {one: [] for one in asking}
    assert index.sentences_of(list(Turn.objects.filter(text=QUESTION).values_list("pk", flat=True))) == {}


def test_an_answer_keeps_the_question_before_it_even_where_the_product_asked(space, extractor):
    talk(new_session(space), ("Hello there.", "I know nothing of Ana. Where do you live?"), ("In Lyon.", "Noted."))
    index = bootstrap.dialogue_index(space.pk)
    [found] = index.matching(Unit.WINDOW, "live", limit=5)
    [window] = index.passages_of(Unit.WINDOW, [found.id])
    assert window.text == "assistant: Where do you live?\nAna: In Lyon."
    assert index.matching(Unit.WINDOW, "nothing", limit=5) == []


def test_what_an_assistant_said_in_a_dialogue_that_was_brought_in_is_found(space, extractor):
    talk(new_session(space), ("Which pasta did you suggest?", "Penne with basil suits you."), is_generated=False)
    found = bootstrap.space_memory(space.pk).sentences_like("pasta with basil", limit=5)
    assert [one.sentence.text for one in found] == ["Penne with basil suits you."]
    [turn] = bootstrap.dialogue_index(space.pk).matching(Unit.TURN, "basil", limit=5)
    assert said(space, Unit.TURN, [turn.id]) == {"Penne with basil suits you."}


def test_a_turn_that_tells_and_asks_is_found_by_what_it_tells(space, extractor):
    talk(new_session(space), ("I moved to Lyon. Where does Ben live?", "Noted."))
    index = bootstrap.dialogue_index(space.pk)
    [turn] = index.matching(Unit.TURN, "Lyon", limit=5)
    [sentences] = index.sentences_of([turn.id]).values()
    assert said(space, Unit.SENTENCE, sentences) == {"I moved to Lyon."}
    assert TurnVector.objects.get().sentences == 1
    assert_is_exact(space)


def test_a_memory_of_questions_alone_has_nothing_to_find_and_nothing_left_to_index(space, extractor):
    talk(new_session(space), *[(QUESTION, REPLY)] * 3)
    space.refresh_from_db()
    assert space.is_indexed and space.linked_until == SentenceRecord.objects.latest("pk").pk
    assert (TurnVector.objects.count(), RoundVector.objects.count(), SentenceEdge.objects.count()) == (0, 0, 0)
    assert bootstrap.space_memory(space.pk).sentences_like(QUESTION) == []


def test_other_words_in_the_place_of_a_message_are_judged_anew(space, extractor):
    session = new_session(space)
    talk(session, (STATEMENTS[0], REPLY), (STATEMENTS[1], REPLY))
    first, second = session.rounds.all()
    for round, text, marks in (
        (first, QUESTION, [False]),
        (second, f"{STATEMENTS[1]} {QUESTION}", [True, False]),
    ):
        round_retract(round=round)
        Turn.objects.filter(round=round, role=Role.USER).update(text=text)
        round_complete(round=round)
        space_maintain(space_id=space.pk)
        index_wholly(space)
        kept = SentenceRecord.objects.filter(turn__round=round, turn__role=Role.USER)
        assert list(kept.values_list("is_evidence", flat=True)) == marks
        assert_is_exact(space)
    assert [one.sentence.text for one in bootstrap.space_memory(space.pk).sentences_like("sister")] == [STATEMENTS[1]]


def test_forgetting_the_only_statement_of_a_turn_leaves_its_question_in_no_index(space, ana, extractor):
    talk(new_session(space), (f"{STATEMENTS[0]} {QUESTION}", REPLY), (STATEMENTS[1], REPLY))
    told = SentenceRecord.objects.get(text=STATEMENTS[0])
    memory_forget(space=space, by=ana, sentences=[told.pk])
    index_wholly(space)
    assert_is_exact(space)
    assert list(TurnVector.objects.values_list("turn__text", flat=True)) == [STATEMENTS[1]]
    assert SentenceRecord.objects.filter(text=QUESTION, is_evidence=False).exists()


def test_vectors_made_anew_leave_out_what_they_left_out(asked_often):
    before = dict(SentenceRecord.objects.values_list("pk", "is_evidence"))
    vectors_drop(asked_often.pk, embedder="words")
    index_wholly(asked_often)
    assert dict(SentenceRecord.objects.values_list("pk", "is_evidence")) == before
    assert_is_exact(asked_often)
    assert TurnVector.objects.count() == len(STATEMENTS)


def test_digests_rest_on_evidence(asked_often):
    assert not DigestRecord.objects.filter(sentences__is_evidence=False).exists()


def test_a_person_who_searches_finds_every_turn(asked_often, ana):
    words = words_query("sister live")
    found = selectors.turns_of(ana).filter(search=words).values_list("text", flat=True)
    assert set(found) == {QUESTION, STATEMENTS[0], REPLY}


def test_the_page_of_sentences_hides_what_is_no_evidence_and_counts_it(asked_often, ana: User):
    client = Client()
    client.force_login(ana)
    address = reverse("space-sentences", args=[asked_often.pk])
    html = client.get(address).content.decode()
    assert html.count('id="sentence-') == 2 and "Questions and my replies too (16)" in html
    html = client.get(address, {"asking": "1"}).content.decode()
    assert html.count('id="sentence-') == 18 and "checked" in html
    assert (html.count("a question"), html.count("my reply"), html.count(">neighbours<")) == (7, 9, 2)
    html = client.get(address, {"q": "cannot"}).content.decode()
    assert "Only questions and replies of mine are here." in html and "asking=1" in html
    for asked in ({}, {"asking": "1"}):
        with CaptureQueriesContext(connection) as seen:
            client.get(address, asked)
        assert len(seen) <= 12


def test_so_many_questions_are_not_all_counted(asked_often, monkeypatch):
    monkeypatch.setattr("memory.selectors.lists.COUNTED", 3)
    assert no_evidence_count(asked_often, Asked()) == 4
    assert no_evidence_count(asked_often, Asked(text="lyon")) == 0
    assert [row.text for row in sentences_page(asked_often, Asked()).rows] == list(reversed(STATEMENTS))


def test_the_index_of_vectors_holds_evidence_alone():
    with connection.cursor() as cursor:
        cursor.execute(
            "select indexdef from pg_indexes where indexname in ('sentence_embedding', 'sentence_no_evidence')"
        )
        definitions = sorted(row[0].rpartition(" WHERE ")[2] for row in cursor.fetchall())
    assert definitions == ["(NOT is_evidence)", "is_evidence"]


def test_an_upgrade_marks_what_is_there_and_makes_its_indexes_anew(space, extractor):
    marking = import_module("memory.migrations.0016_mark_what_is_no_evidence")
    withdrawing = import_module("memory.migrations.0017_index_evidence")
    talk(new_session(space), (QUESTION, REPLY), *[(text, REPLY) for text in STATEMENTS])
    other = talk_of_another(space)
    wanted = list(SentenceRecord.objects.order_by("pk").values_list("text", "is_evidence"))
    Turn.objects.filter(role=Role.ASSISTANT, space=space).update(key=Concat(Value("reply-"), Cast("pk", TextField())))
    Turn.objects.update(is_generated=False)
    SentenceRecord.objects.update(is_evidence=True)
    for _ in range(2):
        marking.mark(None, None)
        assert list(SentenceRecord.objects.order_by("pk").values_list("text", "is_evidence")) == wanted
    assert set(Turn.objects.filter(is_generated=True).values_list("text", flat=True)) == {REPLY}
    indexed = set(TurnVector.objects.filter(space=other).values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(withdrawing.WITHDRAW)
    space.refresh_from_db()
    assert not space.is_indexed and not TurnVector.objects.filter(space=space).exists()
    assert set(TurnVector.objects.filter(space=other).values_list("pk", flat=True)) == indexed != set()
    index_wholly(space)
    assert_is_exact(space)
    assert_is_exact(other)


def talk_of_another(space: Space) -> Space:
    """A memory that has nothing to leave out."""
    other = space_create(name="Another", owner=space.memberships.get().user)
    talk(new_session(other), ("I like tea.", "So do many."), is_generated=False)
    return other


def test_searches_by_meaning_are_answered_by_the_index_of_evidence(asked_often):
    index = bootstrap.dialogue_index(asked_often.pk)
    [vector] = index.embed([QUESTION])
    with CaptureQueriesContext(connection) as seen:
        index.nearest(Unit.SENTENCE, vector, limit=3)
        bootstrap.space_memory(asked_often.pk).sentences_like(QUESTION)
    ordered = [
        one["sql"] for one in seen if "<=>" in one["sql"].rpartition("ORDER BY")[2] and "+ 0.0" not in one["sql"]
    ]
    assert ordered
    with connection.cursor() as cursor:
        # Of so few rows any other way is cheaper.
        cursor.execute("set local enable_seqscan = off; set local enable_sort = off; set local enable_bitmapscan = off")
        for statement in ordered:
            cursor.execute(f"explain {statement}")
            assert "sentence_embedding" in " ".join(row[0] for row in cursor.fetchall())


def test_words_that_were_said_are_known_in_any_form_and_in_this_memory_alone(space, extractor, ana):
    talk(new_session(space), ("I live in Lyon and painted two kitchens. Have I told you about Google?", "Of Prague?"))
    other = space_create(name="Other", owner=ana)
    talk(new_session(other), ("I work at Siemens.", "Noted."))
    memory = bootstrap.space_memory(space.pk)
    asked = ["Lyon", "kitchen", "painting", "Ana", "Google", "Prague", "Siemens", "the"]
    assert memory.words_said(asked) == {"Lyon", "kitchen", "painting", "Ana"}
    assert memory.words_said([]) == set()
