"""The only place where settings become objects. Heavy things are made once, at first use."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

from memory.adapters.dates import DateparserResolver
from memory.adapters.embedder import OnnxEmbedder
from memory.adapters.entailment.cross_encoder import TransformersEntailmentModel
from memory.adapters.entailment.onnx import NETWORK_FILE, OnnxEntailmentModel
from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.scripted import ScriptedLanguageModel
from memory.adapters.language_models.transformers import TransformersLanguageModel
from memory.adapters.parser.spacy_parser import SpacyParser
from memory.adapters.relevance import TransformersRelevanceModel
from memory.adapters.segmenter import SyntokSegmenter
from memory.adapters.text_to_amr import AmrlibTextToAmr, HttpTextToAmr
from memory.adapters.wordnet import WordNetFiles, wordnet_folder
from memory.core.errors import ModelNotFound, UnknownEngine
from memory.core.knowledge_graph.conflict.prompted import PromptedConflictDetector
from memory.core.knowledge_graph.conflict.whole_graph import WholeGraphConflictDetector
from memory.core.knowledge_graph.extraction.amr.extractor import AmrExtractor
from memory.core.knowledge_graph.extraction.amr.prompted import PromptedTextToAmr
from memory.core.knowledge_graph.extraction.amr.text_to_amr import TextToAmr
from memory.core.knowledge_graph.extraction.prompted import PromptedExtractor
from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.retelling.teller import RuleBasedFactTeller
from memory.core.knowledge_graph.retelling.topics import RuleBasedTopicReader
from memory.core.knowledge_graph.senses.gloss_similarity import GlossSimilaritySenseFinder
from memory.core.knowledge_graph.statement.prompted import PromptedStatementWriter
from memory.core.knowledge_graph.statement.rule_based import RuleBasedStatementWriter
from memory.core.ports import (
    ConflictDetector,
    DateResolver,
    DialogueIndex,
    Embedder,
    EntailmentModel,
    GraphWalker,
    KnowledgeExtractor,
    LanguageModel,
    RelevanceModel,
    SenseFinder,
    SentenceSegmenter,
    StatementWriter,
    SyntacticParser,
)
from memory.core.sentence_graph.digests.ports import DigestWriters
from memory.core.sentence_graph.digests.prompted import PromptedFactWriter, PromptedInsightWriter, PromptedSummaryWriter
from memory.core.sentence_graph.digests.rule_based import (
    RuleBasedFactWriter,
    RuleBasedInsightWriter,
    RuleBasedSummaryWriter,
)
from memory.core.tracing import as_role
from memory.stores import SpaceDialogueIndex, SpaceEmbedder, SpaceGraph, SpaceMemory, current_graph

BUILTIN = "builtin"
ENGINE_KINDS = "builtin, http:<model>, transformers:<path or hub id>, scripted:<file>"
WHOLE_GRAPH = "whole_graph"
ENTAILMENT_BUILTIN = "built-in"
ENTAILMENT_OFF = "off"
NO_BUILTIN_ENTAILMENT = (
    "There is no built-in entailment model here yet. "
    "Train it with `manage.py train_entailment`, or name another by DSMART_ENTAILMENT."
)
making = threading.Lock()


@dataclass(frozen=True)
class Engine:
    """What plays the model's roles. `language_model` is None where rules play them all, `digests` where none are made."""

    name: str
    extractor: KnowledgeExtractor
    statement_writer: StatementWriter
    language_model: LanguageModel | None = None
    digests: DigestWriters | None = None


@cache
def embedder() -> Embedder:
    return OnnxEmbedder(Path(settings.DSMART_MODELS))


@cache
def segmenter() -> SentenceSegmenter:
    return SyntokSegmenter()


@cache
def parser() -> SyntacticParser:
    return SpacyParser(Path(settings.DSMART_PARSER))


@cache
def dates() -> DateResolver:
    return DateparserResolver()


@cache
def sense_finder() -> SenseFinder | None:
    """Return what gives words their senses, or None where there is no WordNet to take them from."""
    folder = wordnet_folder(settings.DSMART_WORDNET_FOLDERS)
    if folder is None:
        return None
    return GlossSimilaritySenseFinder(lexicon=WordNetFiles(folder), embedder=embedder())


def entailment_model() -> EntailmentModel | None:
    """Return what judges entailment, or None where it is off or its weights are not there (`entailment_absence`)."""
    return configured_entailment()[0]


def entailment_absence() -> str:
    """Return why there is no entailment model, in a sentence for a person; nothing where there is one."""
    return configured_entailment()[1]


@cache
def configured_entailment() -> tuple[EntailmentModel | None, str]:
    if settings.DSMART_ENTAILMENT == ENTAILMENT_OFF:
        return None, "Entailment is off: DSMART_ENTAILMENT is set so."
    try:
        return make_entailment_model(settings.DSMART_ENTAILMENT), ""
    except ModelNotFound as error:
        # Whoever reads the pages has no use for a path of the server's.
        return None, NO_BUILTIN_ENTAILMENT if settings.DSMART_ENTAILMENT == ENTAILMENT_BUILTIN else str(error)


def make_entailment_model(name: str) -> EntailmentModel:
    """Return the built-in model, one that `train_entailment` wrote elsewhere, or the cross-encoder of a path or hub id.

    Raises `ModelNotFound`.
    """
    folder = Path(settings.DSMART_ENTAILMENT_WEIGHTS if name == ENTAILMENT_BUILTIN else name).expanduser()
    if name == ENTAILMENT_BUILTIN or (folder / NETWORK_FILE).is_file():
        return OnnxEntailmentModel(folder)
    return TransformersEntailmentModel(name, device=settings.DSMART_TRANSFORMERS_DEVICE)


@cache
def relevance_model() -> RelevanceModel | None:
    """Return what reads found passages again, or None where none is chosen."""
    if not settings.DSMART_RELEVANCE:
        return None
    return TransformersRelevanceModel(settings.DSMART_RELEVANCE, device=settings.DSMART_TRANSFORMERS_DEVICE)


def space_memory(space_id: int) -> SpaceMemory:
    return SpaceMemory(space_id, embedder=embedder())


def space_embedder(space_id: int, *, known: str | None = None) -> SpaceEmbedder:
    """Return what embeds for a space, which refuses where the space's vectors are of another embedder (`known`, if read)."""
    return SpaceEmbedder(space_id, embedder(), known=known)


def dialogue_index(space_id: int) -> DialogueIndex:
    return SpaceDialogueIndex(space_id, embedder=space_embedder(space_id))


def graph_walker(space_id: int) -> GraphWalker:
    return SpaceGraph(space_id)


def engine_names() -> list[str]:
    """Return the engines that a conversation may choose, the default one first, without repetition."""
    return list(dict.fromkeys([settings.DSMART_ENGINE, BUILTIN, *settings.DSMART_EXTRA_ENGINES]))


def engine(name: str = "") -> Engine:
    """Return an engine by name, the configured one for an empty name. Only configured names are served."""
    chosen = name or settings.DSMART_ENGINE
    engine_check(chosen)
    with making:
        return make_engine(chosen)


@cache
def make_engine(name: str) -> Engine:
    model = None if name == BUILTIN else make_language_model(name)
    return Engine(
        name=name,
        extractor=make_extractor(model),
        statement_writer=RuleBasedStatementWriter(parser=parser())
        if model is None
        else PromptedStatementWriter(as_role(model, "statement")),
        language_model=model,
        digests=make_digest_writers(name, model),
    )


def make_digest_writers(name: str, model: LanguageModel | None) -> DigestWriters:
    """Return what writes summaries, facts and insights: a model, else the rules."""
    if model is None:
        return DigestWriters(
            name=name,
            summaries=RuleBasedSummaryWriter(),
            facts=RuleBasedFactWriter(teller=RuleBasedFactTeller(parser=parser(), dates=dates())),
            insights=RuleBasedInsightWriter(topics=RuleBasedTopicReader(parser=parser())),
        )
    return DigestWriters(
        name=name,
        summaries=PromptedSummaryWriter(as_role(model, "summary")),
        facts=PromptedFactWriter(as_role(model, "facts")),
        insights=PromptedInsightWriter(as_role(model, "insights")),
    )


def make_extractor(model: LanguageModel | None) -> KnowledgeExtractor:
    """Return what reads facts: by way of AMR where that is chosen, else a model, else the rules."""
    text_to_amr = make_text_to_amr(model)
    if text_to_amr is not None:
        return AmrExtractor(text_to_amr=text_to_amr, dates=dates())
    return (
        RuleBasedExtractor(parser=parser(), dates=dates(), replaces=True)
        if model is None
        else PromptedExtractor(as_role(model, "extraction"))
    )


def make_text_to_amr(model: LanguageModel | None) -> TextToAmr | None:
    """Return the chosen AMR parser; None where none is, or where a model would have to prompt and there is none."""
    if settings.DSMART_AMR == "http":
        return HttpTextToAmr(settings.DSMART_AMR_URL, timeout_s=settings.DSMART_AMR_TIMEOUT_S)
    if settings.DSMART_AMR == "amrlib":
        return AmrlibTextToAmr(Path(settings.DSMART_AMR_MODEL) if settings.DSMART_AMR_MODEL else None)
    return PromptedTextToAmr(as_role(model, "text_to_amr")) if settings.DSMART_AMR == "prompted" and model else None


def conflict_detector(engine: Engine, *, space_id: int, ontology: Ontology) -> ConflictDetector | None:
    """Return the detector by which an engine's language model adds to the rules, or None where there is no model."""
    if engine.language_model is None:
        return None
    model = as_role(engine.language_model, "conflicts")
    if settings.DSMART_CONFLICTS == WHOLE_GRAPH:
        return WholeGraphConflictDetector(model, graph=lambda: current_graph(space_id), ontology=ontology)
    return PromptedConflictDetector(model, ontology=ontology)


def make_language_model(name: str) -> LanguageModel:
    kind, _, target = name.partition(":")
    if not target or kind not in {"http", "transformers", "scripted"}:
        raise UnknownEngine(f"{name!r} is not the name of an engine. DSMART_ENGINE takes {ENGINE_KINDS}.")
    if kind == "http":
        return HttpLanguageModel(
            base_url=settings.DSMART_HTTP_BASE_URL,
            api_key=settings.DSMART_HTTP_API_KEY,
            model=target,
            timeout_s=settings.DSMART_HTTP_TIMEOUT_S,
            retries=settings.DSMART_HTTP_RETRIES,
            concurrency=settings.DSMART_HTTP_CONCURRENCY,
        )
    if kind == "transformers":
        return TransformersLanguageModel(
            target, device=settings.DSMART_TRANSFORMERS_DEVICE, batch_size=settings.DSMART_TRANSFORMERS_BATCH
        )
    return ScriptedLanguageModel(Path(target))


def engine_check(name: str) -> None:
    """Raise `UnknownEngine` unless the name is a configured engine. Loads nothing."""
    if name not in engine_names():
        raise UnknownEngine(
            f"There is no engine {name!r} here. Configured: {', '.join(engine_names())}. "
            f"DSMART_ENGINE and DSMART_EXTRA_ENGINES take {ENGINE_KINDS}."
        )


def engine_warm(name: str = "") -> Engine:
    """Return an engine after loading what its first round would otherwise wait for."""
    ready = engine(name)
    embedder().embed(["ready"])
    if ready.language_model is None:
        parser().parse_many(["It is ready."])
    return ready


def reset() -> None:
    """Forget everything made so far, after settings changed."""
    for made in (embedder, segmenter, parser, dates, sense_finder, configured_entailment, relevance_model, make_engine):
        made.cache_clear()
