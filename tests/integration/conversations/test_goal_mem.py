"""`goal_mem` over PostgreSQL: a two-hop proof with scripted replies, its grounds, its trace, and what forgetting leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from conversations.core.tracing.proof import Outcome, ProofAttempt, ProofSearch
from conversations.models import Conversation, Reply, ReplyState
from conversations.services import conversation_create
from memory import bootstrap
from memory.models import SentenceRecord, StepRecord, TripleRecord
from memory.selectors.tracing import steps_of
from memory.services import space_personal, triple_forget
from tests.e2e.conftest import PROOFS
from tests.fakes.engines import WordEmbedder
from tests.integration.conversations.test_d_smart import asked, scripted, told

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "Who is the boss of my sister?"


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "embedder", lambda: WordEmbedder())


@pytest.fixture
def talk(ana, settings, tmp_path: Path) -> Conversation:
    engine = scripted(settings, tmp_path, *PROOFS)
    return conversation_create(owner=ana, space=space_personal(user=ana), responder="goal_mem", engine=engine)


def searches(reply: Reply) -> list[ProofSearch]:
    return [one.step for one in steps_of(reply.trace) if isinstance(one.step, ProofSearch)]


def test_two_told_facts_prove_an_answer_and_are_what_it_rests_on(talk: Conversation) -> None:
    told(talk.space, "My sister is called Maya.", "Petra is the boss of Maya.", QUESTION)
    reply = asked(talk, QUESTION)
    assert reply.error == ""
    assert (reply.state, reply.text) == (ReplyState.DONE, "Petra is the boss of your sister Maya.")
    rests_on = reply.sentences_used.order_by("rank").values_list("sentence__text", flat=True)
    assert list(rests_on) == ["My sister is called Maya.", "Petra is the boss of Maya."]
    [search] = searches(reply)
    assert (search.outcome, search.answer, search.statistics.calls) == (Outcome.PROVED, ("Petra",), 2)
    [attempt] = [one.step for one in steps_of(reply.trace) if isinstance(one.step, ProofAttempt)]
    asking = set(SentenceRecord.objects.filter(text=QUESTION).values_list("pk", flat=True))
    assert not asking & set(attempt.read), "what was only asked proves nothing"
    assert [one.fault for one in attempt.rejected] == ["the value is in no cited fact"]


def test_what_was_not_told_is_not_answered(talk: Conversation) -> None:
    told(talk.space, "My sister is called Maya.", "Petra is the boss of Maya.")
    reply = asked(talk, "Which dog did my sister lose?")
    assert reply.text == "I don't know. To be sure I would have to know: “Maya lost which dog?”."
    assert [(one.outcome, one.missing) for one in searches(reply)] == [(Outcome.UNKNOWN, ("Maya lost which dog?",))]


def test_forgetting_a_fact_takes_the_words_of_a_proof_over_the_knowledge_graph(talk: Conversation, settings) -> None:
    settings.DSMART_PROOF_MEMORY = "knowledge_graph"
    told(talk.space, "My sister is called Maya.", "Petra is the boss of Maya.")
    reply = asked(talk, QUESTION)
    attempt = next(one.step for one in steps_of(reply.trace) if isinstance(one.step, ProofAttempt))
    assert attempt.looked_at and attempt.rule
    triple_forget(triple=TripleRecord.objects.get(pk=attempt.looked_at[0]))
    kept = StepRecord.objects.filter(trace=reply.trace, kind__in=["proof", "proof_attempt"])
    assert len(kept) >= 2 and all(step.words == {} for step in kept)
