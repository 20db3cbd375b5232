"""Conflict detection by a language model (D-SMART, the p_c of Equation 2; the contract of Figures 9 and 10).

The model reads the triples that could clash and the fragment, both as Turtle, and quotes those that have to give way.

Departures from the paper:
- The paper shows the model the whole graph (`whole_graph` does that). Here it sees a bounded number of triples: those of
  the slots that the fragment fills first, then the newest about the same things. The prompt does not grow with the graph.
- The model's word is not the last: a triple that is not of the origin, one that the fragment repeats, one with a better word
  behind it, one that was said later, and a further value of a predicate that may have many are refused and logged.
- The model is told who said what and when, and that a predicate denies: the paper's serialisation leaves these out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from memory.core.errors import LanguageModelError
from memory.core.knowledge_graph.conflict.comparison import (
    UNDECLARED,
    asserted,
    believed,
    keys_of,
    same_ends,
    same_subject,
    shares_slot,
)
from memory.core.knowledge_graph.conflict.precedence import prevails
from memory.core.knowledge_graph.conflict.rule_based import find_overruled
from memory.core.knowledge_graph.conflict.serialisation import (
    PREFIXES,
    E,
    SerialisedCase,
    Stated,
    prefix_lines,
    serialised,
    stated_of,
)
from memory.core.knowledge_graph.conflict.turtle_replies import RdfTriple, triples_of_reply
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import PREDICATES, Ontology, are_compatible
from memory.core.knowledge_graph.rdf.names import DS
from memory.core.ports import LanguageModel
from memory.core.prompting import ask_many, render_prompt
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
# Real entities end in a number, so that a model which copies the example hits nothing.
_EXAMPLE = Stated(E["ana"], DS["livesIn"], E["paris"])


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
    """Return the candidates that the model is shown: those of the fragment's slots first, then the newest."""
    facts = acting_facts(case, ontology)

    def distance(triple: Triple) -> tuple[bool, float, int]:
        is_in_slot = any(_is_in_slot(fact, triple, ontology) for fact in facts)
        return (not is_in_slot, -triple.source.said_at.timestamp(), -triple.id)

    about = [triple for triple in believed(case.candidates) if any(_shares_entity(fact, triple) for fact in facts)]
    return sorted(about, key=distance)[: config.max_candidates]


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
) -> list[list[Supersession]]:
    """Return the model's verdicts on each case about the shown triples; all cases are asked in one batch.

    A case without acting facts, or without triples to show, is not asked about. Raises the first `LanguageModelError`.
    """
    asked: dict[int, SerialisedCase] = {}
    for place, case in enumerate(cases):
        facts, triples = acting_facts(case, ontology), shown(case)
        if facts and triples:
            asked[place] = serialised(case, triples, facts)
    replies = ask_many(
        language_model,
        [conflict_prompt(sides, ontology) for sides in asked.values()],
        partial(triples_of_reply, prefixes=PREFIXES),
        config=sampling,
    )
    found: list[list[Supersession]] = [[] for _ in cases]
    for (place, sides), reply in zip(asked.items(), replies, strict=True):
        if isinstance(reply, LanguageModelError):
            raise reply
        found[place] = _verdicts(cases[place], sides, reply, ontology)
    return found


def conflict_prompt(sides: SerialisedCase, ontology: Ontology) -> Prompt:
    """Return the prompt about both sides of a case."""
    functional = [name for name in PREDICATES if ontology.predicate_named(name).is_functional]
    declared = [name for name, is_functional in ontology.declared.items() if is_functional and name not in PREDICATES]
    return render_prompt(
        PROMPT,
        prefixes=prefix_lines(),
        functional=", ".join([*functional, *declared]),
        plural=", ".join(name for name in PLURAL if not ontology.predicate_named(name).is_functional),
        example=_EXAMPLE,
        origin=sides.origin,
        new=sides.new,
    )


def acting_facts(case: ConflictCase, ontology: Ontology) -> list[Fact]:
    """Return the facts that may supersede a triple: asserted, no plans, and not overruled by greater authority."""
    overruled = {clash.new for clash in find_overruled(case, ontology=ontology)}
    facts = asserted(case.fragment)
    return [fact for fact in facts if fact.tense is not Tense.FUTURE and fact not in overruled]


def _verdicts(
    case: ConflictCase, sides: SerialisedCase, reply: Sequence[RdfTriple], ontology: Ontology
) -> list[Supersession]:
    facts = acting_facts(case, ontology)
    found: dict[int, Supersession] = {}
    for subject, predicate, value in reply:
        stated = stated_of(subject, predicate, value)
        triples = sides.triples.get(stated, ()) if stated is not None else ()
        if not triples:
            LOGGER.warning("Refused a verdict that is no triple of the graph: %s %s %s", subject, predicate, value)
        for triple in triples:
            fact = _reason(facts, triple, case, ontology)
            if fact is None:
                LOGGER.warning("Refused a verdict against triple %d, which no new fact outdoes.", triple.id)
            else:
                found.setdefault(triple.id, Supersession(triple, fact, ConflictRule.MODEL))
    return list(found.values())


def _reason(facts: Sequence[Fact], triple: Triple, case: ConflictCase, ontology: Ontology) -> Fact | None:
    """Return the fact that supersedes a triple: one of its slot, else the first about its subject, else about its ends."""
    in_slot = [fact for fact in facts if shares_slot(fact, triple, ontology)]
    about = in_slot or [fact for fact in facts if same_subject(fact, triple)]
    for fact in about or [fact for fact in facts if _shares_entity(fact, triple)]:
        if prevails(fact, triple, case, ontology) and not _agrees(fact, triple, ontology):
            return fact
    return None


def _agrees(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    """Return whether the fact can clearly stand beside the triple.

    It can where it says the same, where both values may fill the slot at once (1990 and 7 May 1990), and where it adds a
    value to a predicate that may have many.
    """
    if fact.predicate != triple.predicate or fact.polarity is not triple.polarity:
        return False
    if same_ends(fact, triple, ontology):
        return fact.tense is triple.tense
    if fact.polarity is Polarity.NEGATIVE:
        return True
    if ontology.predicate_named(fact.predicate).is_functional:
        return are_compatible(fact.predicate, fact.object.label, triple.object)
    return fact.predicate in PLURAL


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
