"""Which parts an engine is made of, by the settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory import bootstrap
from memory.bootstrap.roles import DETECT_CONFLICTS, EXTRACT_FACTS
from memory.core.errors import ModelNotFound
from memory.core.knowledge_graph.conflict.learned import LearnedConflictDetector
from memory.core.knowledge_graph.conflict.prompted import PromptedConflictDetector
from memory.core.knowledge_graph.conflict.whole_graph import WholeGraphConflictDetector
from memory.core.knowledge_graph.extraction.amr.extractor import AmrExtractor
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.round_reading.prompted import PromptedExtractor
from tests.fakes.wordnet import small_wordnet


@pytest.fixture(autouse=True)
def fresh(settings, tmp_path: Path) -> Iterator[str]:
    """The name of an engine with a language model, among the configured ones."""
    script = tmp_path / "script.jsonl"
    script.write_text('{"reply": "Noted."}\n')
    name = f"scripted:{script}"
    settings.DSMART_EXTRA_ENGINES = [name]
    bootstrap.reset()
    yield name
    bootstrap.reset()


def test_learned_models_beside_rules_play_the_roles_of_the_built_in_engine() -> None:
    engine = bootstrap.engine("builtin")
    assert isinstance(engine.player(EXTRACT_FACTS), LearnedExtractor)
    detector = engine.player(DETECT_CONFLICTS)(space_id=1, ontology=Ontology())
    assert isinstance(detector, LearnedConflictDetector)


@pytest.mark.parametrize(
    ("choice", "detector"),
    [("candidates", PromptedConflictDetector), ("whole_graph", WholeGraphConflictDetector)],
)
def test_model_reads_facts_and_looks_for_conflicts(settings, fresh, choice, detector) -> None:
    settings.DSMART_CONFLICTS = choice
    engine = bootstrap.engine(fresh)
    assert isinstance(engine.player(EXTRACT_FACTS), PromptedExtractor)
    assert isinstance(engine.player(DETECT_CONFLICTS)(space_id=1, ontology=Ontology()), detector)


@pytest.mark.parametrize("choice", ["http", "prompted"])
def test_amr_takes_the_place_of_an_engines_own_reading(settings, fresh, choice) -> None:
    settings.DSMART_AMR, settings.DSMART_AMR_URL = choice, "http://127.0.0.1:9/parse"
    assert isinstance(bootstrap.engine(fresh).player(EXTRACT_FACTS), AmrExtractor)


def test_amrlib_that_is_not_installed_is_named(settings) -> None:
    settings.DSMART_AMR = "amrlib"
    with pytest.raises(ModelNotFound, match="amrlib is not installed"):
        bootstrap.engine("builtin").player(EXTRACT_FACTS)


def test_built_in_engine_keeps_its_rules_where_only_a_model_could_write_amr(settings) -> None:
    settings.DSMART_AMR = "prompted"
    assert isinstance(bootstrap.engine("builtin").player(EXTRACT_FACTS), LearnedExtractor)


def test_senses_are_found_only_where_wordnet_is(settings, tmp_path) -> None:
    settings.DSMART_WORDNET_FOLDERS = [tmp_path / "none"]
    assert bootstrap.sense_finder() is None
    bootstrap.reset()
    settings.DSMART_WORDNET_FOLDERS = [tmp_path / "none", small_wordnet(tmp_path / "wordnet")]
    assert bootstrap.sense_finder() is not None
