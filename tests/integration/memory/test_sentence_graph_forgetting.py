"""What is forgotten is gone from vectors, windows, words and digests; who was beside it is indexed anew."""

from __future__ import annotations

import pytest

from memory.core.bm25 import words
from memory.models import (
    DigestRecord,
    MaintenanceState,
    Round,
    RoundVector,
    SentenceEdge,
    SentenceRecord,
    SessionPosting,
    SessionVector,
    Space,
    TripleRecord,
    TurnVector,
    WordPosting,
    WordRecord,
)
from memory.services import round_retract, session_forget, space_forget, space_maintain, triple_correct, triple_forget
from memory.services.edits.add import triple_add
from memory.services.edits.forget_many import memory_forget
from memory.services.edits.undo import edit_undo
from tests.fakes.engines import WordEmbedder
from tests.integration.memory.dialogues import START, new_session, say
from tests.integration.memory.sentence_graphs import all_words, assert_is_exact, index_wholly

pytestmark = pytest.mark.django_db


def learn(space: Space, *texts: str) -> list[Round]:
    rounds = say(new_session(space), *texts)
    space_maintain(space_id=space.pk)
    return rounds


def digest(space: Space, kind: str, text: str, *, sentences=(), merges=()) -> DigestRecord:
    [vector] = WordEmbedder().embed([text])
    row = DigestRecord.objects.create(space=space, kind=kind, text=text, said_at=START, embedding=vector)
    row.sentences.set(sentences)
    row.merges.set(merges)
    return row


def test_forgotten_words_are_in_no_posting_and_no_window(space, ana, extractor):
    learn(space, "I like tea. The secret is Xanadu.", "What did I say?")
    assert set(words("secret Xanadu")) <= all_words(space)
    memory_forget(space=space, by=ana, sentences=[SentenceRecord.objects.get(text__contains="Xanadu").pk])
    assert not set(words("secret Xanadu")) & all_words(space)
    index_wholly(space)
    assert not set(words("secret Xanadu")) & all_words(space)
    assert set(words("like tea")) <= all_words(space)
    assert_is_exact(space)


def test_the_vectors_of_what_followed_are_made_without_the_forgotten_words(space, ana, extractor):
    _, second = learn(space, "The secret is Xanadu.", "It is.")
    turn = second.turns.earliest("index")
    before = TurnVector.objects.get(turn=turn).window
    index_wholly(space)
    session_before = SessionVector.objects.get(session=second.session_id).embedding
    memory_forget(space=space, by=ana, sentences=[SentenceRecord.objects.get(text__contains="Xanadu").pk])
    assert not SessionVector.objects.filter(session=second.session_id, embedding__isnull=False).exists()
    index_wholly(space)
    # The reply before it is as it was; the session is another.
    assert list(TurnVector.objects.get(turn=turn).window) == list(before)
    assert list(SessionVector.objects.get(session=second.session_id).embedding) != list(session_before)


def test_a_window_forgets_the_end_of_the_turn_before_it(space, ana, extractor):
    [round] = learn(space, "I like tea. The secret is Xanadu.")
    reply = round.turns.get(role="assistant")
    before = TurnVector.objects.get(turn=reply)
    memory_forget(space=space, by=ana, sentences=[SentenceRecord.objects.get(text__contains="Xanadu").pk])
    assert not TurnVector.objects.filter(turn=reply).exists()
    index_wholly(space)
    after = TurnVector.objects.get(turn=reply)
    assert after.window_words < before.window_words
    assert list(after.window) != list(before.window) and list(after.embedding) == list(before.embedding)


def test_a_retracted_round_is_nowhere_until_it_is_answered_again(space, extractor):
    first, second = learn(space, "I like tea.", "I like Xanadu.")
    round_retract(round=second)
    assert not set(words("Xanadu")) & all_words(space)
    index_wholly(space)
    assert_is_exact(space)
    assert not TurnVector.objects.filter(turn__round=second).exists()
    assert TurnVector.objects.filter(turn__round=first).count() == 2


def test_a_forgotten_session_leaves_neither_words_nor_edges(space, extractor):
    [round] = learn(space, "I like Xanadu. I like tea.")
    learn(space, "I like tea. I like rain. I like books.")
    gone = set(SentenceRecord.objects.filter(turn__round=round).values_list("pk", flat=True))
    session_forget(session=round.session)
    assert not SentenceEdge.objects.filter(neighbour__in=gone).exists()
    assert not set(words("Xanadu")) & all_words(space)
    index_wholly(space)
    assert_is_exact(space)


def test_a_forgotten_space_leaves_no_row(space, extractor):
    learn(space, "I like tea. I like rain.")
    space_forget(space=space)
    for model in (SentenceEdge, TurnVector, RoundVector, SessionVector, WordRecord, WordPosting, SessionPosting):
        assert not model.objects.exists()


def test_digests_that_rest_on_forgotten_words_go_with_whatever_merges_them(space, ana, extractor):
    learn(space, "The secret is Xanadu. I like tea.", "I like rain.")
    secret, tea = (SentenceRecord.objects.get(text__contains=word) for word in ("Xanadu", "tea"))
    fact = digest(space, "fact", "Ana's secret is Xanadu.", sentences=[secret])
    kept = digest(space, "fact", "Ana likes tea.", sentences=[tea])
    digest(space, "summary", "Ana told of Xanadu and tea.", sentences=[secret, tea])
    insight = digest(space, "insight", "Ana tells secrets.", merges=[fact, kept])
    digest(space, "insight", "Ana tells more and more.", merges=[insight])
    memory_forget(space=space, by=ana, sentences=[secret.pk])
    assert list(DigestRecord.objects.all()) == [kept]


def test_what_is_written_by_hand_is_indexed_and_goes_again(space, ana, extractor):
    learn(space, "I live in Paris.")
    added = triple_add(space=space, subject="Ana", predicate="likes", value="Xanadu", by=ana)
    space.refresh_from_db()
    assert not space.is_indexed
    index_wholly(space)
    assert_is_exact(space)
    assert set(words("Xanadu")) <= all_words(space)
    triple_forget(triple=added, by=ana)
    assert not set(words("Xanadu")) & all_words(space)
    index_wholly(space)
    assert_is_exact(space)


def test_an_undone_correction_leaves_no_trace_of_its_words(space, ana, extractor):
    learn(space, "I live in Paris.")
    triple_correct(triple=TripleRecord.objects.get(), value="Xanadu", by=ana)
    index_wholly(space)
    assert set(words("Xanadu")) <= all_words(space)
    edit_undo(edit=space.edits.latest("pk"), by=ana)
    assert not set(words("Xanadu")) & all_words(space)
    index_wholly(space)
    assert_is_exact(space)


def test_words_that_go_while_a_round_is_read_are_not_written_back(space, ana, extractor, monkeypatch):
    learn(space, "The secret is Xanadu.")
    secret = SentenceRecord.objects.get(text__contains="Xanadu")
    say(secret.turn.session, "I like tea.")
    embed = WordEmbedder.embed

    def forget_meanwhile(self, texts):
        if "I like tea." in texts:
            memory_forget(space=space, by=ana, sentences=[secret.pk])
        return embed(self, texts)

    with monkeypatch.context() as patched:
        patched.setattr(WordEmbedder, "embed", forget_meanwhile)
        space_maintain(space_id=space.pk)
    assert not SentenceRecord.objects.filter(pk=secret.pk).exists()
    # What was read beside words that are gone is not written, but made anew.
    assert not RoundVector.objects.filter(round__turns__text="I like tea.").exists()
    assert not set(words("Xanadu")) & all_words(space)
    index_wholly(space)
    assert_is_exact(space)


def test_five_thousand_identical_sentences_displace_nobody(space, extractor):
    learn(space, "I like tea. I like tea and rain. I like tea and books. I like tea and music.")
    said = SentenceEdge.objects.filter(sentence__text__startswith="I like")
    before = {(edge.sentence_id, edge.rank): edge.neighbour_id for edge in said}
    learn(space, "Yes indeed. " * 5000)
    index_wholly(space)
    assert Round.objects.filter(space=space, maintenance=MaintenanceState.DONE).count() == 2
    assert SentenceRecord.objects.filter(text="Yes indeed.").count() == 5000
    assert {(edge.sentence_id, edge.rank): edge.neighbour_id for edge in said.all()} == before
    first = SentenceRecord.objects.filter(text="Yes indeed.").earliest("pk").pk
    last = SentenceRecord.objects.filter(text="Yes indeed.").latest("pk")
    assert list(last.edges.order_by("rank").values_list("neighbour_id", flat=True)) == [first, first + 1, first + 2]
    learn(space, "Yes indeed.")
    assert SentenceEdge.objects.filter(sentence=first, neighbour__gt=last.pk).count() == 0
