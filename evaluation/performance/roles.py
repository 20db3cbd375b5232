"""`bench roles`: what each role that asks a language model makes of replies that are none.

Every role gets every reply, and the same again where it asks once more. What it returns would be stored, so that it is looked
at without the role's own code: whether somebody said it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from conversations.core.responders.writing import Material, written
from conversations.core.types import Delta, Query
from evaluation.adapters.progress import progress_bar
from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.performance.options import BenchOption
from memory.bootstrap.roles import ROLES
from memory.core.backward_chaining.nl_logic import NotLogic, parsed_atom
from memory.core.backward_chaining.ports import RefinementTask, UnificationTask
from memory.core.backward_chaining.types import Attempt, Decomposition, ProofQuestion, Subgoal
from memory.core.errors import LanguageModelError
from memory.core.forward_reasoning.types import Intent, Pool
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.plain_text import NOT_TEXT, is_plain
from memory.core.reasoning_tree.types import Action, Rejected, SearchQuery, State
from memory.core.semantic_state.elements import EMPTY_STATE, Element
from memory.core.semantic_state.evidence import EvidenceExtractor, StateTurn
from memory.core.semantic_state.revision import revise
from memory.core.sentence_graph.digests.types import DatedFact, SessionWords
from memory.core.types import (
    Completion,
    ConflictCase,
    DialogueRound,
    Entity,
    Fact,
    GraphFragment,
    MemoryUnit,
    Node,
    Polarity,
    Prompt,
    RetrievalQuery,
    Role,
    RoundToRead,
    SamplingConfig,
    SourceSentence,
    Span,
    Supersession,
    Tense,
    TokenUsage,
    Triple,
    Utterance,
)

HELP = "what each prompted role makes of replies that are none"
OPTIONS: tuple[BenchOption, ...] = (
    BenchOption("garbage", Path, None, "a JSON list of replies (default: those of tests/data/garbage_replies.json)"),
)
GARBAGE = Path("tests") / "data" / "garbage_replies.json"
METRICS = ("used", "asked_again", "failed_soft", "crashed", "hung", "stored_unfit")
# What takes longer over a reply that is there already will not end.
HUNG_S = 10.0

FRIDAY = datetime(2024, 5, 3, 9, 30, tzinfo=UTC)
LINES = (
    Utterance("Nadia", Role.USER, "My brother Idris moved to Leeds last month.", FRIDAY),
    Utterance("Nadia", Role.USER, "I sold the Panda, so I only cycle now.", FRIDAY),
    Utterance("assistant", Role.ASSISTANT, "A bicycle chain lasts about 3,000 kilometres.", FRIDAY),
)
BEFORE = (Utterance("Nadia", Role.USER, "I drive a Fiat Panda and live in York.", FRIDAY - timedelta(days=9)),)
UNITS = tuple(MemoryUnit(str(place), line.text, line.said_at, line.speaker) for place, line in enumerate(LINES))
SAID = {
    word.casefold() for one in (*BEFORE, *LINES) for word in re.findall(r"[^\W_]+", f"{one.text} {one.speaker} user's")
}


class Garbled:
    """A language model that gives one reply to everything, and counts how often it was asked."""

    name = "garbled"

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.waits = 0

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.waits += 1
        return [Completion(self.reply) for _ in prompts]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        self.waits += 1
        yield self.reply
        return None


@dataclass(frozen=True)
class Trial:
    """What a role is asked, given a model, and whether what it returned is fit to be kept; () where it kept nothing."""

    ask: Callable[[Garbled], Sequence[object]]
    is_fit: Callable[[object], bool]


def measure(options: Mapping[str, Any]) -> list[Row]:
    """Return, for each role and for all, how many replies were used, asked for again, failed soft, and went wrong."""
    replies = garbage_read(options["garbage"] or GARBAGE)
    trials = trials_of_roles()
    counts: dict[str, Counter[str]] = {name: Counter() for name in trials}
    with progress_bar(len(replies) * len(trials), title="roles", unit="replies", hidden=options["quiet"]) as bar:
        for name, trial in trials.items():
            for reply in replies:
                counts[name] += outcome(trial, reply)
                bar.update(1)
    counts["all"] = sum(counts.values(), Counter())
    return [
        Row("roles" if name == "all" else name, metric, count[metric], unit="replies", n=count["tried"], group="all")
        for name, count in counts.items()
        for metric in METRICS
    ]


def garbage_read(path: Path) -> list[str]:
    """Return the replies of a file. Raises `EvaluationError` where it is no JSON list of strings."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} cannot be read as a JSON list of replies: {error}") from error
    if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
        raise EvaluationError(f"{path} is no JSON list of replies: every entry has to be a string.")
    return found


def outcome(trial: Trial, reply: str) -> Counter[str]:
    """Return what came of one reply."""
    model = Garbled(reply)
    pool = ThreadPoolExecutor(1)
    asked = pool.submit(trial.ask, model)
    try:
        kept = asked.result(timeout=HUNG_S)
    except (LanguageModelError, NotLogic):
        found = {"failed_soft": 1}
    except TooSlow:
        found = {"hung": 1}
    except Exception:
        found = {"crashed": 1}
    else:
        found = {"used": bool(kept), "stored_unfit": not all(map(trial.is_fit, kept))}
    finally:
        pool.shutdown(wait=False)
    return Counter({"tried": 1, "asked_again": model.waits > 1, **found})


def trials_of_roles() -> dict[str, Trial]:
    """Return what each player that asks a language model is tried with."""
    session = SessionWords(LINES, np.ones((len(LINES), 1), dtype=np.float32), "Nadia lives in York.")
    facts = [DatedFact("Nadia sold her Panda.", FRIDAY), DatedFact("Nadia cycles to work.", FRIDAY)]
    case = conflict_case()
    query = SearchQuery("Where does my brother live?", "Nadia", FRIDAY)
    asked = RetrievalQuery("Where does my brother live?", FRIDAY, "Nadia")
    pool = Pool(asked, UNITS, (asked.text,))
    goal, attempt = half_proved()

    def made(role: str, kind: str, model: Garbled) -> Any:
        return ROLES[role].asking[kind](model)

    def verdicts(model: Garbled) -> list[Supersession]:
        [found] = made("detect_conflicts", "prompted", model)(space_id=0, ontology=Ontology()).find_many([case])
        return list(found)

    def read(model: Garbled) -> list[object]:
        [found] = made("read_round", "prompted", model).read_many([RoundToRead(LINES, BEFORE)])
        return [*(fact for one in found.fragments for fact in one.facts), *found.statement.sentences]

    def summed(model: Garbled) -> list[object]:
        [found] = made("summarise", "prompted", model).write_many([session])
        return [found.text] if found.text else []

    return {
        "read_round": Trial(read, is_said),
        "extract_facts": Trial(
            lambda model: facts_in(made("extract_facts", "prompted", model).extract_many(LINES, context=BEFORE)),
            is_said,
        ),
        "extract_facts_amr": Trial(
            lambda model: facts_in(made("extract_facts", "amr", model).extract_many(LINES, context=BEFORE)), is_said
        ),
        "write_statement": Trial(
            lambda model: made("write_statement", "prompted", model).write_many([DialogueRound(LINES)])[0].sentences,
            is_said,
        ),
        "detect_conflicts": Trial(
            verdicts,
            lambda found: isinstance(found, Supersession) and found.old in case.candidates,
        ),
        "summarise": Trial(summed, is_about_somebody),
        "find_insights": Trial(
            lambda model: [one.text for one in made("find_insights", "prompted", model).write_many([facts])[0]],
            is_about_somebody,
        ),
        "propose_action": Trial(
            lambda model: [
                one
                for one in made("propose_action", "prompted", model).propose_many(query, [State()], samples=1)[0]
                if isinstance(one.action, Action)
            ],
            is_not_stored,
        ),
        "score_state": Trial(
            lambda model: [
                one
                for one in made("score_state", "prompted", model).score_many(query, [State()])
                if not isinstance(one.value, Rejected)
            ],
            is_not_stored,
        ),
        "decompose_goal": Trial(
            lambda model: made("decompose_goal", "prompted", model).decompose(goal, earlier=()).subgoals, is_storable
        ),
        "unify_subgoals": Trial(
            lambda model: made("unify_subgoals", "prompted", model).unify(UnificationTask(goal, attempt)).unifiers,
            is_storable,
        ),
        "refine_subgoals": Trial(
            lambda model: (
                made("refine_subgoals", "prompted", model)
                .refine(RefinementTask(goal, attempt, attempt.open, {}))
                .antecedents
            ),
            is_storable,
        ),
        "write_answer": Trial(answered, lambda found: any(map(str.isprintable, str(found)))),
        "answer_from_facts": Trial(
            lambda model: [made("answer_from_facts", "prompted", model).answer(asked, UNITS)], is_one_line
        ),
        "rewrite_query": Trial(
            lambda model: made("rewrite_query", "prompted", model).rewrite(asked, number=5), is_one_line
        ),
        "reflect": Trial(lambda model: [made("reflect", "prompted", model).reflect(pool).next_query], is_one_line),
        "act_on_memory": Trial(
            lambda model: [made("act_on_memory", "prompted", model).act(asked, []).words], is_one_line
        ),
        "guide_memory_intent": Trial(
            lambda model: made("guide_memory", "prompted", model).capture_intent(asked, number=5).queries, is_one_line
        ),
        "guide_memory_gap": Trial(
            lambda model: made("guide_memory", "prompted", model).find_gap(Intent("", ()), pool, number=5).queries,
            is_one_line,
        ),
        "guide_memory_scores": Trial(
            lambda model: list(made("guide_memory", "prompted", model).score(pool, []).values()),
            lambda found: isinstance(found, float) and 0 <= found <= 1,
        ),
        "extract_evidence": Trial(
            lambda model: elements_after(made("extract_evidence", "prompted", model)), is_storable
        ),
    }


def elements_after(extractor: EvidenceExtractor) -> list[Element]:
    """Return what the state holds after one message that an extractor has read."""
    evidence = extractor.extract(StateTurn(EMPTY_STATE, LINES[0]))
    return list(revise(EMPTY_STATE, evidence, turn=1).elements.values())


def answered(model: Garbled) -> list[object]:
    query = Query("Where does my brother live?", "Nadia", FRIDAY)
    parts = written(query, Material(), write_answer=model)
    return ["".join(part.text for part in parts if isinstance(part, Delta))]


def half_proved() -> tuple[ProofQuestion, Attempt]:
    """Return a question, and a proof of its answer with one subgoal that is still open."""
    moved = parsed_atom("(Idris) moved to (x:city)")
    units = tuple(MemoryUnit(str(place), one.text, one.said_at, one.speaker) for place, one in enumerate(LINES))
    taken_apart = Decomposition(parsed_atom("(Idris) lives in (x:city)"), (moved,), ("x",))
    attempt = Attempt(1, taken_apart, subgoals=(Subgoal(1, moved),), memory=units)
    return ProofQuestion("Where does my brother live?", "Nadia", FRIDAY), attempt


def facts_in(fragments: Sequence[GraphFragment]) -> list[Fact]:
    return [fact for fragment in fragments for fact in fragment.facts]


def conflict_case() -> ConflictCase:
    source = SourceSentence(1, BEFORE[0].text, "Nadia", BEFORE[0].said_at, 1)
    nadia = Entity(1, "Nadia", "Person", is_speaker=True)
    home = Triple(
        id=1,
        subject=nadia,
        predicate="livesIn",
        object="York",
        object_id=2,
        polarity=Polarity.POSITIVE,
        tense=Tense.PRESENT,
        valid_from=None,
        valid_to=None,
        recorded_at=FRIDAY,
        superseded_at=None,
        confidence=0.9,
        source=source,
        span=Span(0, 10),
        object_kind="Place",
    )
    moved = Fact(Node("Nadia", "Person", is_speaker=True), "livesIn", Node("Leeds", "Place"), Span(0, 5))
    return ConflictCase(GraphFragment((moved,)), (home,), FRIDAY, "Nadia")


def is_not_stored(found: object) -> bool:
    """Return that a step of a search, or a grade, is fit: it is used at once and never stored as a memory."""
    return True


def is_one_line(found: object) -> bool:
    """Return whether a query or an answer can be stored and sought with; an empty one is none."""
    text = str(found)
    return text == " ".join(text.split()) and not NOT_TEXT.search(text)


def is_storable(found: Any) -> bool:
    """Return whether a step of a proof, which a trace keeps, can be stored. Its verifier judges whether somebody said it."""
    return is_plain(asdict(found))


def is_said(found: object) -> bool:
    """Return whether a fact, or a sentence of a statement, has words that somebody said, and a predicate made of words."""
    if isinstance(found, Fact):
        ends = [node.label for node in (found.subject, found.object) if not node.is_any]
        is_named = bool(re.fullmatch(r"[a-z][A-Za-z0-9]{1,79}", found.predicate))
        return is_named and all(map(has_said_words, ends))
    return has_said_words(str(found)) and is_about_something(str(found))


def is_about_somebody(found: object) -> bool:
    text = str(found)
    return has_said_words(text) and any(name in text for name in ("Nadia", "Idris", "user"))


def is_about_something(text: str) -> bool:
    return sum(word in SAID for word in words_of(text)) * 2 >= len(words_of(text))


def has_said_words(text: str) -> bool:
    return any(word in SAID or any(other[:4] == word[:4] for other in SAID if len(word) > 3) for word in words_of(text))


def words_of(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[^\W_]+", text)]
