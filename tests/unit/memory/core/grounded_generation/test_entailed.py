"""Facts verified by an entailment model: what is read, and what counts as true, as false and as neither."""

from __future__ import annotations

from collections.abc import Sequence

from memory.bootstrap.tools import segmenter
from memory.core.grounded_generation.entailed import EntailedConfig, EntailmentFactVerifier
from memory.core.grounded_generation.verification import NOTHING_KNOWN, FactStatus, FactsToVerify, Ground
from memory.core.types import EntailmentVerdict
from tests.fakes.engines import OneMeaningEmbedder, WordEmbedder
from tests.fakes.entailment import UNDECIDED, JudgingEntailment

YES, NO = EntailmentVerdict(0.9, 0.05, 0.05), EntailmentVerdict(0.02, 0.03, 0.95)
PAGE = Ground("Wall was born in Wellington. She wrote Blinky Bill.", title="Dorothy Wall")


def verifier(model: JudgingEntailment, **config: float) -> EntailmentFactVerifier:
    return EntailmentFactVerifier(
        model=model,
        embedder=OneMeaningEmbedder(),
        segmenter=segmenter(),
        config=EntailedConfig(**config),  # type: ignore[arg-type]
    )


def facts(*texts: str, dialogue: tuple[Ground, ...] = (), evidence: tuple[Ground, ...] = (PAGE,)) -> FactsToVerify:
    return FactsToVerify(texts, "B", dialogue, evidence)


def test_what_a_passage_entails_is_true_and_what_it_contradicts_is_false():
    model = JudgingEntailment(lambda premise, fact: YES if "wrote" in fact else NO if "Oslo" in fact else UNDECIDED)
    [found] = verifier(model).verify_many([facts("She wrote a book.", "Wall was born in Oslo.", "Wall sang a lot.")])
    assert [one.status for one in found] == [FactStatus.TRUE, FactStatus.FALSE, FactStatus.NOT_ENOUGH]
    assert [one.ground for one in found] == [PAGE, PAGE, None]


def test_two_sentences_are_read_together_under_their_title():
    model = JudgingEntailment()
    verifier(model).verify_many([facts("She wrote a book.")])
    assert [premise for premise, fact in model.asked if fact == "She wrote a book."] == [
        "Dorothy Wall: Wall was born in Wellington. She wrote Blinky Bill.",
        "Dorothy Wall: She wrote Blinky Bill.",
    ]


def test_opinion_question_and_courtesy_are_nothing_to_verify():
    model = JudgingEntailment(lambda premise, fact: YES)
    [found] = verifier(model).verify_many([facts("Sure!", "Do you know her books?", "I hope that helps.")])
    assert found == [NOTHING_KNOWN] * 3 and model.asked == []


def test_contradiction_counts_in_both_directions_and_of_one_thing_only():
    class OneSided(JudgingEntailment):
        def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
            return [NO if fact == "He is Swiss." else UNDECIDED for _, fact in pairs]

    assert verifier(OneSided()).verify_many([facts("He is Swiss.")]) == [[NOTHING_KNOWN]]
    apart = EntailmentFactVerifier(
        model=JudgingEntailment(lambda premise, fact: NO), embedder=WordEmbedder(), segmenter=segmenter()
    )
    assert apart.verify_many([facts("Oslo has trams everywhere.")]) == [[NOTHING_KNOWN]]


def test_turns_count_in_the_words_of_the_one_who_states():
    said = Ground("I live in Porto. Do you know it?", speaker="A")
    model = JudgingEntailment(lambda premise, fact: YES)
    [[found]] = verifier(model).verify_many([facts("You live in Porto.", dialogue=(said,), evidence=())])
    assert (found.status, found.ground) == (FactStatus.TRUE, said)
    assert {premise for premise, fact in model.asked if fact == "You live in Porto."} == {"You live in Porto."}


def test_one_call_reads_all_replies_and_only_the_nearest_premises():
    model = JudgingEntailment()
    long = Ground(" ".join(f"Number {number} is here." for number in range(100)), title="Numbers")
    verifier(model, premises=4).verify_many([facts("She wrote it.", evidence=(long,)), facts("He wrote it down.")])
    assert len(model.calls) == 1 and len(model.asked) == 2 * (4 + 2)


def test_without_evidence_or_facts_nothing_is_asked():
    model = JudgingEntailment()
    nothing = [facts("She wrote it.", evidence=()), facts(), facts("x " * 90 + "y.")]
    assert verifier(model).verify_many(nothing) == [[NOTHING_KNOWN], [], [NOTHING_KNOWN]]
    assert model.asked == []
