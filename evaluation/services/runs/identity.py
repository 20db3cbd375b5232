"""The identity of a run as this process would play it: digests of code, prompts, data, weights, settings, engine, judge."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.identity import code_version, content_digest, files_digest, weights_files_digest
from evaluation.bootstrap import make_judge
from evaluation.core.runs.identity import RunIdentity, digest_of
from evaluation.core.runs.plan import RETRIEVAL, RunPlan
from memory import bootstrap
from memory.adapters.language_models.refusals import shown_url
from memory.adapters.wordnet import wordnet_folder
from memory.bootstrap.models import GRAPH, kind_and_target
from memory.models import EngineRecord, added_id

ROOMS = ("memory", "conversations", "evaluation")
PROMPT_ENDINGS = (".j2",)
CODE_ENDINGS = (".py", ".txt", ".json")
# What shows, trains or times, and gives no reply and no figure.
NOT_MEASURING = frozenset(
    {"migrations", "views", "api", "templatetags", "trace_views", "management", "performance", "training", "teaching"}
    | {"pretrained", "__pycache__"}
)
SETTINGS = (
    "DSMART_REASONING_CALLS",
    "DSMART_REASONING_TOKENS",
    "DSMART_REASONING_SECONDS",
    "DSMART_REASONING_ENOUGH",
    "DSMART_PROOF_MEMORY",
    "DSMART_ROLES",
    "DSMART_AMR",
    "DSMART_CONFLICTS",
    "DSMART_SCORE_STRATEGY",
)
# The folders of models, or else names of models.
MODELS = ("DSMART_AMR_MODEL", "DSMART_ENTAILMENT", "DSMART_RELEVANCE")
WEIGHTS = (
    "DSMART_PARSER",
    "DSMART_ENTAILMENT_WEIGHTS",
    "DSMART_MESSAGE_READER",
    "DSMART_ANSWER_READER",
    "DSMART_QUESTION_READER",
    "DSMART_REFERENCE_READER",
    "DSMART_TRIPLE_SELECTOR",
    "DSMART_EVIDENCE_READER",
    "DSMART_CHANGE_JUDGE",
)


def identity_of(plan: RunPlan, *, data: str) -> RunIdentity:
    """Return the identity of a plan over data of this digest. Raises whatever naming its engine or its judge raises."""
    engine = plan.engine or settings.DSMART_ENGINE
    judge = make_judge(plan.judge, engine) if plan.judge else None
    asked = plan.judge.partition("@")[2] or engine
    return RunIdentity(
        code=code_label(),
        code_digest=code_digest(),
        prompts=prompts_digest(),
        data=data,
        engine=engine,
        engine_digest=engine_digest(engine),
        embedder=bootstrap.embedder().name,
        judge=judge.name if judge else "",
        judge_metric=judge.metric if judge else "",
        judge_digest=digest_of([judge.digest, engine_digest(asked)]) if judge else "",
        seed=plan.sample or 0,
        config=configuration(),
        measure=measure_of(plan),
    )


@cache
def code_label() -> str:
    return code_version(settings.BASE_DIR)


@cache
def code_digest() -> str:
    return files_digest(settings.BASE_DIR, ROOMS, endings=CODE_ENDINGS, without=NOT_MEASURING)


@cache
def prompts_digest() -> str:
    """Return the digest of all prompts of the product."""
    return files_digest(settings.BASE_DIR, ROOMS, endings=PROMPT_ENDINGS)


@cache
def weights_digest(folder: str) -> str:
    path = Path(folder)
    return content_digest(path) if path.exists() else ""


def model_label(named: str) -> str:
    """Return what a setting names, by the digest of its content where that is here: it may be replaced under its name."""
    return (weights_digest(named) if named else "") or repr(named)


def configuration() -> dict[str, str]:
    """Return the settings that replies depend on; of weights the digest, since their folder is another on every host."""
    chosen = {name: repr(getattr(settings, name)) for name in SETTINGS}
    weights = {name: weights_digest(str(getattr(settings, name))) for name in WEIGHTS}
    models = {name: model_label(getattr(settings, name)) for name in MODELS}
    has_senses = wordnet_folder(settings.DSMART_WORDNET_FOLDERS) is not None
    return {**chosen, **weights, **models, "DSMART_WORDNET": str(has_senses)}


def measure_of(plan: RunPlan) -> Mapping[str, Any]:
    if plan.kind == RETRIEVAL:
        names = ("kind", "cuts", "preset", "writes_digests")
        return {name: plan.as_json()[name] for name in names}
    return {"kind": plan.kind}


def engine_digest(name: str) -> str:
    """Return the digest of what an engine's name stands for here: an address, a script, the files of weights; "" by itself.

    Keys and passwords are no part of it, nor where weights lie.
    """
    if not bootstrap.has_language_model(name):
        return ""
    kind, target = kind_and_target(name)
    if kind == "added":
        return digest_of(list(EngineRecord.objects.filter(pk=added_id(name)).values_list("base_url", "model")))
    if kind == "http":
        return digest_of(shown_url(settings.DSMART_HTTP_BASE_URL)) if "@" not in target else ""
    path = Path(target)
    if kind in ("transformers", GRAPH):
        return weights_files_digest(path)
    return content_digest(path) if path.is_file() else ""
