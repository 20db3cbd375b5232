"""Measuring ways of reasoning over memory backbones: a case is written into each, and each way answers its questions."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks import locomo
from evaluation.benchmarks.catalogue import AUTO, detect_format, only_cases, read_cases
from evaluation.benchmarks.reading import last_moment
from evaluation.core.answer_match import is_right
from evaluation.core.answer_rows import TOKEN_F1, ScoredAnswer, answer_figures
from evaluation.core.chaining_rows import Reasoned, Written, cost_of, reasoned_rows, written_rows
from evaluation.core.errors import UnknownName
from evaluation.core.judging.types import JUDGED, ReplyJudge, ReplyToJudge
from evaluation.core.report import Row
from evaluation.core.runs.items import ASKER, of_each_category
from evaluation.core.types import Case, CaseQuestion
from evaluation.services.case_asking import reason, scored
from evaluation.services.case_index import utterance
from evaluation.services.chaining_ways import WAYS, Reached, Way, ways_check
from memory import bootstrap
from memory.core.errors import MemoryCoreError, RoleUnplayed
from memory.core.ports import Backbone
from memory.core.tracing import TraceStep, recording
from memory.core.types import RetrievalQuery

LOGGER = logging.getLogger(__name__)
ACCURACY = "accuracy"
UNREADABLE = "the judge gave no verdict that can be read"


@dataclass(frozen=True)
class ChainingPlan:
    """What to measure: ways over backbones, by whose scoring, how many cases, and how many questions of a category."""

    backbones: tuple[str, ...]
    methods: tuple[str, ...]
    benchmark: str = AUTO
    engine: str = ""
    only: str = ""
    limit: int | None = None
    questions: int | None = None


@dataclass(frozen=True)
class Measured:
    """What a step of a measurement came to and took; `error` says why it broke off."""

    answer: str
    took: Mapping[str, float | None]
    error: str = ""


@dataclass(frozen=True)
class ChainingResult:
    """All questions put to all ways, what writing took, and the ways that the engine cannot play, each with the reason."""

    reasoned: tuple[Reasoned, ...]
    written: tuple[Written, ...]
    unplayed: Mapping[str, str]
    metric: str
    unjudged: int = 0

    def rows(self, plan: ChainingPlan) -> list[Row]:
        lacking = [
            Row(f"{method}/{backbone}", self.metric, None, unit="ratio", n=0, why=why)
            for backbone in plan.backbones
            for method, why in self.unplayed.items()
        ]
        unjudged = [Row("answers", f"{JUDGED}_unscored", self.unjudged, "answers", len(self.reasoned), why=UNREADABLE)]
        return [
            *reasoned_rows(self.reasoned),
            *lacking,
            *written_rows(self.written),
            *(unjudged if self.unjudged else ()),
        ]


def chaining_evaluate(
    *, path: Path, plan: ChainingPlan, make_backbone: Callable[[str], Backbone], quiet: bool = False
) -> ChainingResult:
    """Write each case into each backbone, and put its questions to each way. An error counts for its own item only."""
    ways, unplayed = ways_of(plan)
    for name in plan.backbones:
        make_backbone(name)  # An unknown name measures nothing.
    is_locomo = (detect_format(path) if plan.benchmark == AUTO else plan.benchmark) == locomo.NAME
    cases = list(only_cases(read_cases(path, format=plan.benchmark), only=plan.only, limit=plan.limit))
    if not cases:
        raise UnknownName(f"{path.name} has no case {plan.only!r}.")
    asked = {case.id: asked_of(case, plan.questions, is_locomo=is_locomo) for case in cases}
    steps = sum(case.turn_count + len(asked[case.id]) * len(ways) for case in cases) * len(plan.backbones)
    reasoned: list[Reasoned] = []
    written: list[Written] = []
    with progress_bar(steps, title=path.stem, unit="turns and questions", hidden=quiet) as bar:
        for name, case in product(plan.backbones, cases):
            memory = make_backbone(name)
            taken = measured(partial(case_write, case, memory))
            written.append(Written(name, taken.took, taken.error))
            bar.update(case.turn_count)
            for question, (method, way) in product(asked[case.id], ways.items()):
                query = RetrievalQuery(question.question, question.asked_at, question.asked_by)
                found = taken if taken.error else measured(partial(way, query, memory))
                reasoned.append(judged(case, question, f"{method}/{name}", found, is_locomo=is_locomo))
                bar.update(1)
    return ChainingResult(tuple(reasoned), tuple(written), unplayed, TOKEN_F1 if is_locomo else ACCURACY)


def answers_judge(result: ChainingResult, judge: ReplyJudge) -> ChainingResult:
    """Return the result with a judge's figure of each answer; a failed one has 0, and one that cannot be judged has none."""
    there = [one for one in result.reasoned if not one.scored.error]
    asked = [
        ReplyToJudge(
            question=one.scored.question,
            expected=() if one.scored.expected is None else (one.scored.expected,),
            reply=one.scored.reply,
            category=one.scored.category,
        )
        for one in there
    ]
    verdicts = iter(judge.judge_many(asked))
    judged = []
    for one in result.reasoned:
        value = 0.0 if one.scored.error else next(verdicts).value
        figures = one.scored.figures if value is None else {**one.scored.figures, judge.metric: value}
        judged.append(replace(one, scored=replace(one.scored, figures=figures)))
    return replace(
        result, reasoned=tuple(judged), unjudged=sum(judge.metric not in one.scored.figures for one in judged)
    )


def ways_of(plan: ChainingPlan) -> tuple[dict[str, Way], dict[str, str]]:
    """Return the ways by name, and why the engine cannot play the others."""
    ways_check(plan.methods)
    engine = bootstrap.engine(plan.engine)
    ways: dict[str, Way] = {}
    unplayed: dict[str, str] = {}
    for name in plan.methods:
        try:
            ways[name] = WAYS[name](engine)
        except RoleUnplayed as error:
            unplayed[name] = str(error)
    return ways, unplayed


def asked_of(case: Case, most: int | None, *, is_locomo: bool) -> list[CaseQuestion]:
    """Return the questions of a case that are asked: at most so many of a category; LoCoMo's by neither of its people."""
    chosen = of_each_category(scored(case), most)
    return [replace(question, asked_by=ASKER) for question in chosen] if is_locomo else chosen


def case_write(case: Case, memory: Backbone) -> Reached:
    """Write the sessions of a case into a memory, and ask it once: what is indexed at the first search is written, too."""
    for session in case.sessions:
        if turns := [utterance(turn) for turn in session.turns if turn.text.strip()]:
            memory.add(turns)
    memory.retrieve(RetrievalQuery(case.id, last_moment(case.sessions)), limit=1)
    return Reached("", {"units": memory.size})


def measured(work: Callable[[], Reached]) -> Measured:
    """Return what work came to, with its calls of models, their tokens, and its time. An error is kept in words."""
    steps: list[TraceStep] = []
    began = time.perf_counter()
    reached, error = Reached(""), ""
    try:
        with recording(steps.extend):
            reached = work()
    except MemoryCoreError as fault:
        error = str(fault)
    except Exception as fault:
        LOGGER.exception("A measured step broke off.")
        error = reason(fault)
    return Measured(reached.answer, cost_of(steps, seconds=time.perf_counter() - began) | reached.took, error)


def judged(case: Case, question: CaseQuestion, name: str, found: Measured, *, is_locomo: bool) -> Reasoned:
    """Return the scored answer. A failed one scores 0, and took what it took."""
    is_answerable = bool(question.answers) and question.category != locomo.UNANSWERABLE
    expected = question.answers[0] if question.answers and is_answerable else None
    if is_locomo or expected is None:
        figures = answer_figures(found.answer, expected, category=question.category)
    else:
        right = is_right(found.answer, answers=question.answers or (), forbidden=question.forbidden)
        figures = {ACCURACY: float(right)}
    scored_answer = ScoredAnswer(
        case=case.id,
        question_id=question.id,
        question=question.question,
        category=question.category or ("unanswerable" if expected is None else "answerable"),
        responder=name,
        expected=expected,
        reply=found.answer,
        figures=dict.fromkeys(figures, 0.0) if found.error else figures,
        error=found.error,
    )
    return Reasoned(scored_answer, found.took)
