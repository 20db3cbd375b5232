"""Makes models by name: language models, entailment, relevance, word senses."""

from __future__ import annotations

import logging
from pathlib import Path

from django.conf import settings

from memory.adapters.entailment.cross_encoder import TransformersEntailmentModel
from memory.adapters.entailment.onnx import NETWORK_FILE, OnnxEntailmentModel
from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.scripted import ScriptedLanguageModel
from memory.adapters.language_models.transformers import TransformersLanguageModel
from memory.adapters.readers.answer_reader import OnnxAnswerReader
from memory.adapters.readers.change_judge import OnnxChangeJudge
from memory.adapters.readers.message_reader import OnnxMessageReader
from memory.adapters.readers.question_reader import OnnxQuestionReader
from memory.adapters.relevance import TransformersRelevanceModel
from memory.adapters.wordnet import WordNetFiles, wordnet_folder
from memory.bootstrap.tools import embedder
from memory.core.errors import ModelNotFound, ModelUnfit, UnknownEngine
from memory.core.knowledge_graph.senses.gloss_similarity import GlossSimilaritySenseFinder
from memory.core.ports import (
    AnswerReader,
    ChangeJudge,
    EntailmentModel,
    LanguageModel,
    MessageReader,
    QuestionReader,
    RelevanceModel,
    SenseFinder,
)

LOGGER = logging.getLogger(__name__)

BUILTIN = "builtin"
ENGINE_KINDS = "builtin, http:<model>, transformers:<path or hub id>, scripted:<file>"
ENTAILMENT_BUILTIN = "built-in"


def make_language_model(name: str) -> LanguageModel:
    """Return the language model of an engine. Raises `UnknownEngine` for a name that is no engine with a model."""
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


def make_entailment_model(name: str) -> EntailmentModel:
    """Return the built-in model, one that `train entailment` wrote elsewhere, or the cross-encoder of a path or hub id.

    Raises `ModelNotFound`.
    """
    folder = Path(settings.DSMART_ENTAILMENT_WEIGHTS if name == ENTAILMENT_BUILTIN else name).expanduser()
    if name == ENTAILMENT_BUILTIN or (folder / NETWORK_FILE).is_file():
        return OnnxEntailmentModel(folder)
    return TransformersEntailmentModel(name, device=settings.DSMART_TRANSFORMERS_DEVICE)


def make_message_reader() -> MessageReader | None:
    """Return the message reader, or None, with a line in the log, where its weights are missing."""
    try:
        return OnnxMessageReader(Path(settings.DSMART_MESSAGE_READER))
    except ModelNotFound as error:
        LOGGER.warning("%s The rules read messages instead.", error)
        return None


def make_answer_reader() -> AnswerReader | None:
    """Return the answer reader, or None, with a line in the log, where its weights are missing."""
    try:
        return OnnxAnswerReader(Path(settings.DSMART_ANSWER_READER))
    except ModelNotFound as error:
        LOGGER.warning("%s Questions are answered from facts and whole sentences.", error)
        return None


def make_question_reader() -> QuestionReader | None:
    """Return the question reader, or None, with a line in the log, where its weights are missing or are none of its own."""
    try:
        return OnnxQuestionReader(Path(settings.DSMART_QUESTION_READER))
    except (ModelNotFound, ModelUnfit) as error:
        LOGGER.warning("%s The rules alone read questions.", error)
        return None


def make_change_judge() -> ChangeJudge | None:
    """Return the change judge, or None, with a line in the log, where its weights are missing or are none of its own."""
    try:
        return OnnxChangeJudge(Path(settings.DSMART_CHANGE_JUDGE))
    except (ModelNotFound, ModelUnfit) as error:
        LOGGER.warning("%s The rules alone decide what has changed.", error)
        return None


def make_relevance_model() -> RelevanceModel:
    return TransformersRelevanceModel(settings.DSMART_RELEVANCE, device=settings.DSMART_TRANSFORMERS_DEVICE)


def make_sense_finder() -> SenseFinder | None:
    """Return the `SenseFinder`, or None where WordNet is missing."""
    folder = wordnet_folder(settings.DSMART_WORDNET_FOLDERS)
    if folder is None:
        return None
    return GlossSimilaritySenseFinder(lexicon=WordNetFiles(folder), embedder=embedder())
