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
from evaluation.performance.costs import BenchOption
from evaluation.performance.dialogue import plain_triple
from memory.bootstrap.roles import ROLES
from memory.core.backward_chaining.nl_logic import NotLogic, parsed_atom
from memory.core.backward_chaining.types import (
    Attempt,
    Decomposition,
    ProofQuestion,
    RefinementTask,
    Subgoal,
    UnificationTask,
)
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
    Prompt,
    RetrievalQuery,
    Role,
    RoundToRead,
    SamplingConfig,
    SourceSentence,
    Span,
    Supersession,
    TokenUsage,
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


Asking = Callable[[Any], Sequence[object]]
Fitness = Callable[[Any], bool]


@dataclass(frozen=True)
class Trial:
    """What a role is asked, given a model, and whether what it returned is fit to be kept; () where it kept nothing."""

    ask: Callable[[Garbled], Sequence[object]]
    is_fit: Fitness


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

    def trial(role: str, ask: Asking, is_fit: Fitness, *, kind: str = "prompted") -> Trial:
        return Trial(lambda model: ask(ROLES[role].asking[kind](model)), is_fit)

    def read(reader: Any) -> list[object]:
        [found] = reader.read_many([RoundToRead(LINES, BEFORE)])
        return [*(fact for one in found.fragments for fact in one.facts), *found.statement.sentences]

    def extracted(extractor: Any) -> list[Fact]:
        return [fact for one in extractor.extract_many(LINES, context=BEFORE) for fact in one.facts]

    def taken(proposer: Any) -> list[object]:
        [found] = proposer.propose_many(query, [State()], samples=1)
        return [one for one in found if isinstance(one.action, Action)]

    def refined(refiner: Any) -> Sequence[object]:
        return refiner.refine(RefinementTask(goal, attempt, attempt.open, {})).antecedents

    return {
        "read_round": trial("read_round", read, is_said),
        "extract_facts": trial("extract_facts", extracted, is_said),
        "extract_facts_amr": trial("extract_facts", extracted, is_said, kind="amr"),
        "write_statement": trial(
            "write_statement", lambda player: player.write_many([DialogueRound(LINES)])[0].sentences, is_said
        ),
        "detect_conflicts": trial(
            "detect_conflicts",
            lambda player: player(space_id=0, ontology=Ontology()).find_many([case])[0],
            lambda found: isinstance(found, Supersession) and found.old in case.candidates,
        ),
        "summarise": trial(
            "summarise",
            lambda player: list(filter(None, (one.text for one in player.write_many([session])))),
            is_about_somebody,
        ),
        "find_insights": trial(
            "find_insights", lambda player: [one.text for one in player.write_many([facts])[0]], is_about_somebody
        ),
        "propose_action": trial("propose_action", taken, is_not_stored),
        "score_state": trial(
            "score_state",
            lambda player: [one for one in player.score_many(query, [State()]) if not isinstance(one.value, Rejected)],
            is_not_stored,
        ),
        "decompose_goal": trial(
            "decompose_goal", lambda player: player.decompose(goal, earlier=()).subgoals, is_storable
        ),
        "unify_subgoals": trial(
            "unify_subgoals", lambda player: player.unify(UnificationTask(goal, attempt)).unifiers, is_storable
        ),
        "refine_subgoals": trial("refine_subgoals", refined, is_storable),
        "write_answer": Trial(answered, lambda found: any(map(str.isprintable, str(found)))),
        "answer_from_facts": trial("answer_from_facts", lambda player: [player.answer(asked, UNITS)], is_one_line),
        "rewrite_query": trial("rewrite_query", lambda player: player.rewrite(asked, number=5), is_one_line),
        "reflect": trial("reflect", lambda player: [player.reflect(pool).next_query], is_one_line),
        "act_on_memory": trial("act_on_memory", lambda player: [player.act(asked, []).words], is_one_line),
        "guide_memory_intent": trial(
            "guide_memory", lambda player: player.capture_intent(asked, number=5).queries, is_one_line
        ),
        "guide_memory_gap": trial(
            "guide_memory", lambda player: player.find_gap(Intent("", ()), pool, number=5).queries, is_one_line
        ),
        "guide_memory_scores": trial(
            "guide_memory",
            lambda player: list(player.score(pool, []).values()),
            lambda found: isinstance(found, float) and 0 <= found <= 1,
        ),
        "extract_evidence": trial("extract_evidence", elements_after, is_storable),
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


def conflict_case() -> ConflictCase:
    source = SourceSentence(1, BEFORE[0].text, "Nadia", BEFORE[0].said_at, 1)
    nadia = Entity(1, "Nadia", "Person", is_speaker=True)
    home = plain_triple(1, nadia, "livesIn", Entity(2, "York", "Place"), source)
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
