"""The worked cases of TG-DRG (Tables 5 and 13): Klitschko, Blinky Bill, Montevideo, end to end with hand-written replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.opendialkg import GroundedTurn
from evaluation.services.generation import GeneratedReply, generated, verified
from evaluation.services.grounded_prompts import WAYS
from memory import bootstrap
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.core.grounded_generation.knowledge import KnowledgeIndex, knowledge_triple
from memory.core.grounded_generation.verification import FactStatus

TRIPLES = (
    ("Dot", "voice actor", "Hayden Panettiere"),
    ("Dot", "present in work", "A Bug's Life"),
    ("A Bug's Life", "voice actor", "Kevin Spacey"),
    ("Wladimir Klitschko", "occupation", "boxer"),
    ("Blinky Bill", "illustrator", "Dorothy Wall"),
    ("Blinky Bill", "author", "Dorothy Wall"),
    ("Koala", "parent taxon", "Phascolarctos"),
    ("Montevideo", "population", "309331"),
    ("Montevideo", "capital of", "Uruguay"),
)


@dataclass(frozen=True)
class Case:
    """A dialogue as it was said and in full, the reply that is written, the triple that it needs, and what is true of it."""

    said: tuple[str, ...]
    full: tuple[str, ...]
    reply: str
    key: tuple[str, str, str]
    reference: str


CASES = {
    "klitschko": Case(
        (
            "What do you think about Wladimir Klitschko?",
            "Not a whole lot but I do know he is married to Hayden Panettiere from the show Nashville.",
            "I have watched that before, is she in any other show?",
            "She played a voice on the cartoon A Bug's Life.",
            "Ok, I didn't know she voiced a character in that.",
        ),
        (
            "What do you think about Wladimir Klitschko?",
            "Not a whole lot but I do know Wladimir Klitschko is married to Hayden Panettiere from the show Nashville.",
            "I have watched Nashville before, is Hayden Panettiere in any other show?",
            "Hayden Panettiere played a voice on the cartoon A Bug's Life.",
            "Ok, I didn't know Hayden Panettiere voiced a character in A Bug's Life.",
        ),
        "Hayden Panettiere voiced the character Dot in A Bug's Life.",
        ("Dot", "voice actor", "Hayden Panettiere"),
        "I was surprised to hear that Kevin Spacey also voiced a character in that movie.",
    ),
    "blinky_bill": Case(
        (
            "do you know the species name of the literature Blinky Bill?",
            "Yes, it is Koala.",
            "Great! do you know the author of that book?",
        ),
        (
            "do you know the species name of the literature Blinky Bill?",
            "Yes, the species name of Blinky Bill is Koala.",
            "Great! do you know the author of Blinky Bill?",
        ),
        "Yes, the author of Blinky Bill is Dorothy Wall.",
        ("Blinky Bill", "author", "Dorothy Wall"),
        "Yes, it is Dorothy Wall.",
    ),
    "montevideo": Case(
        (
            "What is the capital and largest city in Uruguay?",
            "Montevideo is the capital and largest city in Uruguay.",
            "What was the population of Montevideo, Uruguay, in 2011?",
        ),
        (
            "What is the capital and largest city in Uruguay?",
            "Montevideo is the capital and largest city in Uruguay.",
            "What was the population of Montevideo, Uruguay, in 2011?",
        ),
        "The population of Montevideo was 309331.",
        ("Montevideo", "population", "309331"),
        "It was 1,319,108.",
    ),
}


@pytest.fixture
def index(tmp_path: Path) -> KnowledgeIndex:
    """Return the index of a small file of triples, read as OpenDialKG's are."""
    entities = list(dict.fromkeys(name for one in TRIPLES for name in (one[0], one[2])))
    relations = list(dict.fromkeys(one[1] for one in TRIPLES))
    for name, values in (("entity", entities), ("relation", relations)):
        lines = [f"{value}\t{place}" for place, value in enumerate(values)]
        (tmp_path / f"{name}2id.txt").write_text("\n".join([str(len(values)), *lines]))
    numbered = [f"{entities.index(s)} {entities.index(o)} {relations.index(p)}" for s, p, o in TRIPLES]
    (tmp_path / "valid2id.txt").write_text("\n".join([str(len(TRIPLES)), *numbered]))
    return KnowledgeIndex(read_knowledge(tmp_path / "valid2id.txt"))


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def engine(case: Case, settings: Any, tmp_path: Path) -> Iterator[bootstrap.Engine]:
    rules = [
        {
            "when": "Turn 1:",
            "reply": {"turns": [{"turn": place, "full": text} for place, text in enumerate(case.full, 1)]},
        },
        {"when": "Sentence 1:", "reply": {"facts": [{"sentence": 1, "fact": case.reply}]}},
        {"when": "Fact 1:", "reply": {"verdicts": [{"fact": 1, "status": "true", "source": 1}]}},
        {"when": f"(?s)Fact:.*{' '.join(case.key)}", "chances": {" Yes": 0.6, "no": 0.4}},
        {"when": "Fact:", "chances": {"No": 0.7, " yes": 0.2}},
        {"when": "Message:", "reply": case.reply},
    ]
    script = tmp_path / "script.jsonl"
    script.write_text("\n".join(json.dumps(rule) for rule in rules))
    settings.DSMART_EXTRA_ENGINES = [f"scripted:{script}"]
    bootstrap.reset()
    yield bootstrap.engine(settings.DSMART_EXTRA_ENGINES[0])
    bootstrap.reset()


def turn_of(case: Case) -> GroundedTurn:
    return GroundedTurn(1, case.said, (knowledge_triple(*case.key),), case.reference)


def test_key_knowledge_is_selected_from_the_dialogue_in_full(
    case: Case, index: KnowledgeIndex, engine: bootstrap.Engine
) -> None:
    [reply] = generated([turn_of(case)], index, WAYS["tg_drg_r"], engine, judge=engine)
    assert (reply.text, reply.error) == (case.reply, "")
    assert knowledge_triple(*case.key) in reply.knowledge[:5]


def test_key_knowledge_is_the_most_probable_by_the_answers_of_the_model(
    case: Case, index: KnowledgeIndex, engine: bootstrap.Engine, settings: Any
) -> None:
    settings.DSMART_ROLES = {"select_triples": "prompted"}
    [reply] = generated([turn_of(case)], index, WAYS["tg_drg_r"], engine, judge=engine)
    assert (reply.text, reply.error) == (case.reply, "")
    assert reply.knowledge[0] == knowledge_triple(*case.key)
    assert set(reply.knowledge) == set(index.candidates(case.full, limit=100)), "fewer than ten candidates"


def test_facts_of_the_reply_are_verified_by_what_is_known(
    case: Case, index: KnowledgeIndex, engine: bootstrap.Engine
) -> None:
    [reply] = verified(generated([turn_of(case)], index, WAYS["tg_drg_r"], engine, judge=engine), index, engine)
    assert reply.statuses == (FactStatus.TRUE,)


def test_author_is_verified_without_a_language_model(index: KnowledgeIndex) -> None:
    blinky = CASES["blinky_bill"]
    reply = GeneratedReply("none", turn_of(blinky), (), blinky.reply)
    [found] = verified([reply], index, bootstrap.engine(bootstrap.BUILTIN))
    assert found.statuses == (FactStatus.TRUE,)
