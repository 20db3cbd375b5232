"""Conflict detection by a language model (D-SMART, the p_c of Equation 2; the contract of Figures 9 and 10).

The model reads the triples that could clash and the fragment, both as numbered lines, and names those that have to give way.

Departures from the paper:
- The paper shows the model the whole graph (`whole_graph` does that). Here it sees a bounded number of triples: those of
  the slots that the fragment fills first, then the newest about the same things. The prompt does not grow with the graph.
- The paper has Turtle both ways, and each verdict quoted with its three IRIs. Here a verdict is two numbers: whatever else a
  model writes cannot be taken for a triple.
- A model is asked only where a new fact meets a triple in its slot or between its ends, and could clash with it.
- The model's word is not the last: a triple that was not shown, one that the fragment repeats, one with a better word
  behind it, one that was said later, and a further value of a predicate that may have many are refused and logged.
- The model is told who said what, when and in which words, and that a predicate denies: the paper leaves these out.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, field_validator

from memory.core.knowledge_graph.conflict.comparison import (
    UNDECLARED,
    asserted,
    believed,
    keys_of,
    same_ends,
    same_subject,
    shares_slot,
)
from memory.core.knowledge_graph.conflict.lifetimes import temporal_partners
from memory.core.knowledge_graph.conflict.lines import fact_lines, names_of, triple_lines
from memory.core.knowledge_graph.conflict.precedence import prevails
from memory.core.knowledge_graph.conflict.rule_based import find_overruled
from memory.core.knowledge_graph.ontology import PREDICATES, Ontology, are_compatible
from memory.core.naming import key_of
from memory.core.ports import LanguageModel
from memory.core.prompting import UnreadableReply, answer_of, ask_many, parse_json, render_prompt, settled, validated
from memory.core.types import (
    ConflictCase,
    ConflictRule,
    Fact,
    Polarity,
    Prompt,
    SamplingConfig,
    Supersession,
    Tense,
    Triple,
)

LOGGER = logging.getLogger(__name__)
PROMPT = Path(__file__).parent / "prompts" / "detect_conflicts.md.j2"

# Predicates of which a further value never is a conflict: the model is told so, and a verdict to the contrary is refused.
PLURAL = ("likes", "dislikes", "hasChild", "hasHobby", "worksFor", "speaks", "owns", "knows", "hasFriend")
# What says where a thing is, or what it is part of.
WHOLES = frozenset({"locatedIn", "partOf"})
# Prose that is longer than this is no plain "no conflict".
PROSE_LIMIT = 400
NUMBER_LIMIT = 20
# A refusal says "no" and "not" too: what conflicts, or that nothing does, has to be said.
_SAYS_NONE = re.compile(
    r"\s*(?:no|none|nothing|empty|\[\s*\])?[\s.!]*"
    r"|.*\b(?:no|none|nothing)\b[^.!?]{0,80}\b(?:conflict|contradict|clash).*"
    r"|.*\bnot (?:conflict|contradict|clash).*",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERS_ALONE = re.compile(r"[\[\]\s0-9,;.#]+")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*[\w-]*[ \t]*$", re.MULTILINE)


class Clash(BaseModel):
    """A triple of the graph that has to go, and the new triple that it cannot stand beside, by their numbers."""

    graph: int
    new: int = 0


class Clashes(BaseModel):
    conflicts: list[Clash]

    @field_validator("conflicts", mode="before")
    @classmethod
    def _only_what_is_readable(cls, value: Any) -> Any:
        """Take a bare number for a clash, and nothing for none; pass over entries without a number, unless all are such."""
        if value is None or (isinstance(value, str) and _SAYS_NONE.fullmatch(value)):
            return []
        if not isinstance(value, list):
            return value
        entries = [one if isinstance(one, dict) else {"graph": one} for one in value]
        read = [
            {"graph": one["graph"], "new": one.get("new") if _is_number(one.get("new")) else 0}
            for one in entries
            if _is_number(one.get("graph"))
        ]
        return read or value


@dataclass(frozen=True)
class ModelJudgement:
    """What a model makes of a case: the triples that have to go, and the clashes that it was shown and found to be none."""

    superseded: tuple[Supersession, ...] = ()
    cleared: tuple[Supersession, ...] = ()


@dataclass(frozen=True)
class PromptedConflictConfig:
    """At most `max_candidates` triples of the graph are shown; the paper shows all of them.

    Forty cover the slots of an ordinary sentence many times over, at about 1,500 tokens. Sampling is greedy: a verdict is a
    judgement (D-SMART, Appendix B draws scores at temperature 0).
    """

    max_candidates: int = 40
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=2048))


class PromptedConflictDetector:
    """A `ConflictDetector` that asks a language model about a bounded part of the graph."""

    def __init__(
        self,
        language_model: LanguageModel,
        *,
        ontology: Ontology = UNDECLARED,
        config: PromptedConflictConfig = PromptedConflictConfig(),
    ) -> None:
        self._language_model = language_model
        self._ontology = ontology
        self._config = config

    def find_many(self, cases: Sequence[ConflictCase]) -> list[list[Supersession]]:
        """Return, for each case, the candidates that the model says the fragment replaces.

        Raises the first `LanguageModelError`.
        """
        return [list(one.superseded) for one in self.judge_many(cases)]

    def judge_many(self, cases: Sequence[ConflictCase]) -> list[ModelJudgement]:
        """Return the model's judgement of each case. Raises the first `LanguageModelError`."""
        return judged_many(
            self._language_model,
            cases,
            shown=partial(shown_triples, config=self._config, ontology=self._ontology),
            ontology=self._ontology,
            sampling=self._config.sampling,
        )


def shown_triples(
    case: ConflictCase,
    *,
    config: PromptedConflictConfig = PromptedConflictConfig(),
    ontology: Ontology = UNDECLARED,
) -> list[Triple]:
    """Return the candidates that the model is shown: those of the fragment's slots, the newest, and what holds these."""
    facts = acting_facts(case, ontology)

    def distance(triple: Triple) -> tuple[bool, float, int]:
        is_in_slot = any(_is_in_slot(fact, triple, ontology) for fact in facts)
        return (not is_in_slot, -triple.source.said_at.timestamp(), -triple.id)

    current = believed(case.candidates)
    about = [triple for triple in current if any(_shares_entity(fact, triple) for fact in facts)]
    near = sorted(about, key=distance)[: config.max_candidates]
    values = {triple.object_id for triple in near}
    wholes = [one for one in current if one.predicate in WHOLES and one.subject.id in values and one not in near]
    return near + wholes[: config.max_candidates]


def prompt_triples(
    case: ConflictCase,
    *,
    config: PromptedConflictConfig = PromptedConflictConfig(),
    ontology: Ontology = UNDECLARED,
) -> int:
    """Return the number of triples of the graph in a case's prompt; 0 where the model is not asked."""
    return len(shown_triples(case, config=config, ontology=ontology))


def judged_many(
    language_model: LanguageModel,
    cases: Sequence[ConflictCase],
    *,
    shown: Callable[[ConflictCase], Sequence[Triple]],
    ontology: Ontology,
    sampling: SamplingConfig,
) -> list[ModelJudgement]:
    """Return the model's judgement of each case about the shown triples; all cases are asked in one batch.

    A case in which no fact could clash with a shown triple is not asked about. Raises the first `LanguageModelError`.
    """
    asked = {
        place: triples
        for place, case in enumerate(cases)
        if could_clash(case, triples := shown(case), ontology=ontology)
    }
    replies = ask_many(
        language_model,
        [conflict_prompt(cases[place], triples, ontology) for place, triples in asked.items()],
        clashes_of_reply,
        config=sampling,
    )
    found = [ModelJudgement() for _ in cases]
    for (place, triples), reply in zip(asked.items(), replies, strict=True):
        found[place] = _judgement(cases[place], triples, settled(reply).conflicts, ontology)
    return found


def could_clash(case: ConflictCase, triples: Sequence[Triple], *, ontology: Ontology = UNDECLARED) -> bool:
    """Return whether a fact of the case meets a triple that it does not clearly go with."""
    return any(_meets(fact, triple, ontology) for fact in acting_facts(case, ontology) for triple in triples)


def clashes_of_reply(reply: str) -> Clashes:
    """Return what a reply names; prose that says "no conflict", and an empty block, name none. Raises `UnreadableReply`."""
    try:
        return parse_json(reply, Clashes)
    except UnreadableReply:
        words = answer_of(reply).strip()
        bare = _FENCE.sub("", words).strip()
        if not words or "{" in bare or len(bare) > PROSE_LIMIT:
            raise
        if not re.search(r"\d", bare) and _SAYS_NONE.fullmatch(bare):
            return Clashes(conflicts=[])
        if not _NUMBERS_ALONE.fullmatch(bare):
            raise
        return validated({"conflicts": re.findall(r"\d{1,6}", bare)}, Clashes)


def conflict_prompt(case: ConflictCase, triples: Sequence[Triple], ontology: Ontology) -> Prompt:
    """Return the prompt about the facts of a case and the triples that are shown for it."""
    facts = acting_facts(case, ontology)
    names = names_of(triples)
    met = [triple.id for triple in triples if any(_meets(fact, triple, ontology) for fact in facts)]
    functional = [name for name in PREDICATES if ontology.predicate_named(name).is_functional]
    declared = [name for name, is_functional in ontology.declared.items() if is_functional and name not in PREDICATES]
    return render_prompt(
        PROMPT,
        schema=Clashes,
        functional=", ".join([*functional, *declared]),
        plural=", ".join(name for name in PLURAL if not ontology.predicate_named(name).is_functional),
        graph="\n".join(triple_lines(triples, names, quoted=met)),
        new="\n".join(fact_lines(facts, case, names)),
    )


def acting_facts(case: ConflictCase, ontology: Ontology) -> list[Fact]:
    """Return the facts that may supersede a triple: asserted, no plans, and not overruled by greater authority."""
    overruled = {clash.new for clash in find_overruled(case, ontology=ontology)}
    facts = asserted(case.fragment)
    return [fact for fact in facts if fact.tense is not Tense.FUTURE and fact not in overruled]


def _judgement(
    case: ConflictCase, triples: Sequence[Triple], clashes: Sequence[Clash], ontology: Ontology
) -> ModelJudgement:
    """Return what a reply amounts to. A reply that names what cannot be clears nothing: it was not understood."""
    facts = acting_facts(case, ontology)
    found: dict[int, Supersession] = {}
    is_understood = True
    for clash in clashes:
        named = triples[clash.graph - 1] if 1 <= clash.graph <= len(triples) else None
        fact = (
            None
            if named is None
            else _reason([*facts[max(0, clash.new - 1) : clash.new], *facts], named, case, ontology)
        )
        if named is None or fact is None:
            is_understood = False
            LOGGER.warning(
                "Refused a verdict on triple %d of %d, which no new fact outdoes.", clash.graph, len(triples)
            )
        else:
            found.setdefault(named.id, Supersession(named, fact, ConflictRule.MODEL))
    cleared = (
        Supersession(triple, fact, ConflictRule.MODEL)
        for triple in triples
        for fact in facts
        if triple.id not in found and _meets(fact, triple, ontology)
    )
    return ModelJudgement(tuple(found.values()), tuple(cleared) if is_understood else ())


def _reason(facts: Sequence[Fact], triple: Triple, case: ConflictCase, ontology: Ontology) -> Fact | None:
    """Return the fact that supersedes a triple: one of its slot, else the first about its subject, else about its ends."""
    in_slot = [fact for fact in facts if shares_slot(fact, triple, ontology)]
    about = in_slot or [fact for fact in facts if same_subject(fact, triple)]
    for fact in about or [fact for fact in facts if _shares_entity(fact, triple)]:
        if prevails(fact, triple, case, ontology) and not _agrees(fact, triple, ontology):
            return fact
    return None


def _meets(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    """Return whether a fact could clash with a triple: in its slot, or between the same ends, and not clearly beside it."""
    is_timed = triple.predicate in temporal_partners(fact) and same_subject(fact, triple)
    is_near = is_timed or _is_in_slot(fact, triple, ontology) or same_ends(fact, triple, ontology)
    return is_near and not _agrees(fact, triple, ontology)


def _agrees(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    """Return whether the fact can clearly stand beside the triple.

    It can where it says the same, where both values may fill the slot at once (1990 and 7 May 1990), and where it adds a
    value to a predicate that may have many. What tells of the past may end any value.
    """
    if fact.predicate != triple.predicate or fact.polarity is not triple.polarity:
        return False
    if same_ends(fact, triple, ontology):
        return fact.tense is triple.tense
    if fact.polarity is Polarity.NEGATIVE:
        return True
    if ontology.predicate_named(fact.predicate).is_functional:
        return are_compatible(fact.predicate, fact.object.label, triple.object)
    return fact.predicate in PLURAL and fact.tense is not Tense.PAST


def _shares_entity(fact: Fact, triple: Triple) -> bool:
    names = keys_of(fact.subject)
    if not fact.object.is_literal and not fact.object.is_any:
        names |= keys_of(fact.object)
    ends: Collection[str] = {key_of(triple.subject.label)}
    if triple.object_id is not None:
        ends = {*ends, key_of(triple.object)}
    return not names.isdisjoint(ends)


def _is_in_slot(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    """Return whether the triple is in the fact's slot, or in the slot of a predicate that excludes or inverts the fact's."""
    predicate = ontology.predicate_named(fact.predicate)
    if triple.predicate in {predicate.disjoint_with, predicate.inverse} - {""}:
        return _shares_entity(fact, triple)
    return shares_slot(fact, triple, ontology)


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return value.isascii() and value.strip().isdecimal() and len(value) < NUMBER_LIMIT
    return isinstance(value, int) and not isinstance(value, bool)
