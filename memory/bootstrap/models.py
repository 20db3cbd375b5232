"""Makes models by name: language models, entailment, relevance, word senses."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings

from memory.adapters.entailment.cross_encoder import TransformersEntailmentModel
from memory.adapters.entailment.onnx import NETWORK_FILE, OnnxEntailmentModel
from memory.adapters.language_models.graph import GraphLanguageModel
from memory.adapters.language_models.refusals import SettingNames
from memory.adapters.language_models.scripted import ScriptedLanguageModel
from memory.adapters.language_models.transformers import TransformersLanguageModel
from memory.adapters.readers.answer_reader import OnnxAnswerReader
from memory.adapters.readers.change_judge import OnnxChangeJudge
from memory.adapters.readers.encoder import OnnxTripleSelector
from memory.adapters.readers.evidence_reader import OnnxEvidenceReader
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.adapters.readers.question_reader import OnnxQuestionReader
from memory.adapters.readers.reference_reader import OnnxReferenceReader
from memory.adapters.relevance import TransformersRelevanceModel
from memory.adapters.sealing import unsealed
from memory.adapters.wordnet import WordNetFiles, wordnet_folder
from memory.bootstrap.tools import embedder
from memory.core.errors import ModelNotFound, ModelRefused, ModelUnfit, UnknownEngine
from memory.core.grounded_generation.selection import TripleSelector
from memory.core.knowledge_graph.senses.gloss_similarity import GlossSimilaritySenseFinder
from memory.core.knowledge_graph.senses.lexicon import Lexicon
from memory.core.ports import (
    AnswerReader,
    ChangeJudge,
    EntailmentModel,
    LanguageModel,
    MessageReader,
    QuestionReader,
    ReferenceReader,
    RelevanceModel,
    SenseFinder,
)
from memory.core.semantic_state.ports import EvidenceReader
from memory.models import ADDED, EngineRecord, added_id

if TYPE_CHECKING:
    from memory.adapters.language_models.http import HttpLanguageModel

LOGGER = logging.getLogger(__name__)
ReaderT = TypeVar("ReaderT")

BUILTIN = "builtin"
ENGINE_KINDS = (
    "builtin, http:<model>, http:<model>@<address>, transformers:<path or hub id>, graph:<path>, scripted:<file>"
)
GRAPH = "graph"
MODEL_AT = re.compile(r"(?P<model>.+)@(?P<address>https?://.+)")
OF_NAMED_ADDRESS = SettingNames(
    address="the address behind @",
    key="that DSMART_HTTP_BASE_URL is its address, since DSMART_HTTP_API_KEY goes only there; "
    "or add it with its key in Settings > Engines",
    model="the engine",
)
OF_ADDED = SettingNames(
    address="its address in Settings > Engines",
    key="its key in Settings > Engines",
    model="its model in Settings > Engines",
    prefix="",
)
GONE = "There is no such engine here: it was removed, or never was. Choose another."
KEY_LOST = (
    "The key of this engine cannot be read any more: the secret key of the product has changed since. "
    "Enter the key again in Settings > Engines."
)
ENTAILMENT_BUILTIN = "built-in"


def make_language_model(name: str) -> LanguageModel:
    """Return the language model of an engine. Raises `UnknownEngine` for a name that is no engine with a model."""
    kind, target = kind_and_target(name)
    if kind == "added":
        return make_added_model(name)
    if kind == "http":
        return make_http_model(target)
    if kind == "transformers":
        return TransformersLanguageModel(
            target, device=settings.DSMART_TRANSFORMERS_DEVICE, batch_size=settings.DSMART_TRANSFORMERS_BATCH
        )
    if kind == GRAPH:
        return GraphLanguageModel(
            target,
            embedder(),
            device=settings.DSMART_TRANSFORMERS_DEVICE,
            batch_size=settings.DSMART_TRANSFORMERS_BATCH,
        )
    return ScriptedLanguageModel(Path(target))


def kind_and_target(name: str) -> tuple[str, str]:
    """Return the two parts of the name of an engine with a language model. Raises `UnknownEngine`."""
    kind, _, target = name.partition(":")
    if not target or kind not in {"http", "transformers", GRAPH, "scripted", ADDED.rstrip(":")}:
        raise UnknownEngine(f"{name!r} is not the name of an engine. DSMART_ENGINE takes {ENGINE_KINDS}.")
    return kind, target


def make_http_model(target: str) -> HttpLanguageModel:
    """Return a model at the configured address, or at its own behind "@". The key goes to the configured server only."""
    named = MODEL_AT.fullmatch(target)
    if named is None:
        return http_model(settings.DSMART_HTTP_BASE_URL, settings.DSMART_HTTP_API_KEY, target)
    from memory.adapters.language_models.addresses import same_server

    is_configured = same_server(named["address"], settings.DSMART_HTTP_BASE_URL)
    key = settings.DSMART_HTTP_API_KEY if is_configured else ""
    return http_model(named["address"], key, named["model"], names=OF_NAMED_ADDRESS)


def make_added_model(name: str) -> HttpLanguageModel:
    """Return the model of an added engine. Raises `UnknownEngine`, and `ModelRefused` for a key that cannot be read."""
    row = EngineRecord.objects.filter(pk=added_id(name)).first()
    if row is None:
        raise UnknownEngine(GONE)
    key = unsealed(row.key, secret=settings.SECRET_KEY) if row.key else ""
    if key is None:
        raise ModelRefused(KEY_LOST)
    return make_model_of_page(row.base_url, key, row.model)


def make_model_of_page(base_url: str, key: str, model: str) -> HttpLanguageModel:
    """Return a model at an address that a person wrote into a page."""
    return http_model(base_url, key, model, names=OF_ADDED, only_public=not settings.DSMART_PRIVATE_ADDRESSES)


def http_model(
    base_url: str, key: str, model: str, *, names: SettingNames | None = None, only_public: bool = False
) -> HttpLanguageModel:
    from memory.adapters.language_models.http import HttpLanguageModel

    return HttpLanguageModel(
        base_url=base_url,
        api_key=key,
        model=model,
        timeout_s=settings.DSMART_HTTP_TIMEOUT_S,
        retries=settings.DSMART_HTTP_RETRIES,
        concurrency=settings.DSMART_HTTP_CONCURRENCY,
        only_public=only_public,
        names=names,
    )


def make_entailment_model(name: str) -> EntailmentModel:
    """Return the built-in model, one that `train entailment` wrote elsewhere, or the cross-encoder of a path or hub id.

    Raises `ModelNotFound`.
    """
    folder = Path(settings.DSMART_ENTAILMENT_WEIGHTS if name == ENTAILMENT_BUILTIN else name).expanduser()
    if name == ENTAILMENT_BUILTIN or (folder / NETWORK_FILE).is_file():
        return OnnxEntailmentModel(folder)
    return TransformersEntailmentModel(name, device=settings.DSMART_TRANSFORMERS_DEVICE)


def make_message_reader() -> MessageReader | None:
    return reader_or_none(
        OnnxMessageReader, settings.DSMART_MESSAGE_READER, "Messages are kept, and no facts are read."
    )


def make_answer_reader() -> AnswerReader | None:
    instead = "Questions are answered from facts and whole sentences."
    return reader_or_none(OnnxAnswerReader, settings.DSMART_ANSWER_READER, instead)


def make_question_reader() -> QuestionReader | None:
    return reader_or_none(OnnxQuestionReader, settings.DSMART_QUESTION_READER, "The rules alone read questions.")


def make_reference_reader() -> ReferenceReader | None:
    return reader_or_none(OnnxReferenceReader, settings.DSMART_REFERENCE_READER, "Questions are read as they stand.")


def make_change_judge() -> ChangeJudge | None:
    return reader_or_none(OnnxChangeJudge, settings.DSMART_CHANGE_JUDGE, "The rules alone decide what has changed.")


def reader_or_none(make: Callable[[Path], ReaderT], folder: str | Path, instead: str) -> ReaderT | None:
    """Return a reader, or None where its weights are missing or are none of its own; the log says what happens instead."""
    try:
        return make(Path(folder))
    except (ModelNotFound, ModelUnfit) as error:
        LOGGER.warning("%s %s", error, instead)
        return None


def make_triple_selector() -> TripleSelector | None:
    return reader_or_none(OnnxTripleSelector, settings.DSMART_TRIPLE_SELECTOR, "Facts are chosen by their embeddings.")


def make_evidence_reader() -> EvidenceReader:
    """Return the evidence reader. Raises `ModelNotFound` or `ModelUnfit`: nothing reads a task's state in its place."""
    return OnnxEvidenceReader(Path(settings.DSMART_EVIDENCE_READER))


def make_relevance_model() -> RelevanceModel:
    return TransformersRelevanceModel(settings.DSMART_RELEVANCE, device=settings.DSMART_TRANSFORMERS_DEVICE)


def make_lexicon() -> Lexicon | None:
    """Return WordNet, or None where it is missing."""
    folder = wordnet_folder(settings.DSMART_WORDNET_FOLDERS)
    return None if folder is None else WordNetFiles(folder)


def make_sense_finder() -> SenseFinder | None:
    """Return the `SenseFinder`, or None where WordNet is missing."""
    lexicon = make_lexicon()
    return None if lexicon is None else GlossSimilaritySenseFinder(lexicon=lexicon, embedder=embedder())
