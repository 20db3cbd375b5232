"""A proof that a test has written down: the running example of GOAL-MEM about the drink, over sentences that were said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from conversations.core.responders.goal_mem.proving import proofs_of
from conversations.core.types import Delta, Query, ReplyPart
from memory.core.backward_chaining.prover import Prover
from memory.core.backward_chaining.types import Decomposition, UnificationTask, Unifier
from memory.core.errors import LanguageModelError, UnparsableReply
from memory.core.types import MemoryUnit, RetrievalQuery
from tests.unit.memory.core.backward_chaining.players import Decomposing, Refining, Unifying, antecedent, rule, unifier

MONDAY = datetime(2024, 5, 6, 9, tzinfo=UTC)
QUESTION = "Which drink should I try at the cafe I went to last week?"
LIKES = "I like matcha more than anything."
VISITED = "I visited Momoco on Tuesday."
SERVED = "Momoco has served a Kyoto Latte with matcha since May."
STRAWBERRY = "Elsewhere strawberry milk contains no matcha."
SAID = (LIKES, VISITED, SERVED, STRAWBERRY)
GOAL = "recommend (x:drink) to (Ana)"
NEEDS = ("(Ana) likes matcha or another (y:flavor)", "(x:drink) contains (y:flavor)", "(x:drink) is served in (z:cafe)")
FIRST = "(Ana) visited (z:cafe)"
UNREADABLE = UnparsableReply("The model's reply has not the asked form.", reply="…")


@dataclass
class SaidUnits:
    """Implements `Recall`: the sentences of given ids that share a word with the query, in the order of the ids."""

    said: Mapping[int, str]
    speaker: str = "Ana"
    name: str = "said"
    asked: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.said)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        self.asked.append(query.text)
        words = set(query.text.casefold().split())
        return [
            MemoryUnit(f"turn:{number}", text, MONDAY, self.speaker, sentence_ids=(number,))
            for number, text in self.said.items()
            if words & set(text.casefold().strip(".").split())
        ][:limit]


def proposed(task: UnificationTask, *, finds_the_cafe: bool) -> list[Unifier]:
    """Return what is proposed at first and, once it is known that a cafe was visited, for the rest."""
    numbers = {fact.text: number for number, fact in enumerate(task.facts, start=1)}
    if not task.attempt.grounded:
        return [unifier(1, [numbers[LIKES]], "{y/(matcha)}"), unifier(3, [99], "{x/(tea), z/(Momoco)}")]
    found = [unifier(2, [numbers[STRAWBERRY]], "{x/(strawberry milk), y/(strawberry)}")]
    if finds_the_cafe:
        found.append(unifier(2, [numbers[SERVED]], "{x/(Kyoto Latte), y/(matcha)}"))
        found.append(unifier(3, [numbers[SERVED]], "{x/(Kyoto Latte), z/(Momoco)}", bridge="Momoco is a cafe."))
        found.append(unifier(4, [numbers[VISITED]], "{z/(Momoco)}"))
    return found


def prover_over(
    memory: SaidUnits,
    *,
    rules: Sequence[Decomposition | LanguageModelError | None] = (rule(GOAL, *NEEDS),),
    finds_the_cafe: bool = True,
) -> Prover:
    """Return a prover of the example: in the first attempt, or, where the cafe is not found, in none."""
    return Prover(
        memory=memory,
        decompose=Decomposing(rules),
        unify=Unifying(lambda task: proposed(task, finds_the_cafe=finds_the_cafe)),
        refine=Refining([[antecedent(3, FIRST)]]),
    )


@dataclass
class ProvingResponder:
    """Proves every message by the example, and then says its text; `ends_after` cuts it short after so many parts."""

    prover: Prover
    text: str = "Try the Kyoto Latte."
    ends_after: int | None = None
    name: str = "proving"

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        given = self.prover.decompose
        fresh = replace(given, asked=0) if isinstance(given, Decomposing) else given
        prover = replace(self.prover, decompose=fresh, refine=Refining([[antecedent(3, FIRST)]]))
        for place, part in enumerate(proofs_of([query.text], query, prover=prover)):
            if place == self.ends_after:
                break
            yield part
        yield Delta(self.text)
