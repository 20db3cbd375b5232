"""D-SMART's reasoning by rule: what the built-in engine makes of one question over the graph (Equation 1 without a model).

A question that one look into the graph answers is looked up, and leaves no tree; one that joins several facts is searched
for. Nothing is answered by what is merely near: a missing link is said to be missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conversations.core.responders.answers import Answer, ReadBack, answer
from conversations.core.responders.d_smart.entries import NamedEntities, ends_of, triples_near
from conversations.core.responders.d_smart.questions import Aim, ChainQuestion
from conversations.core.responders.d_smart.reading import Finding, PlanReading
from conversations.core.responders.d_smart.searching import searched
from conversations.core.responders.recall import Recollection, looked_at, recall
from conversations.core.types import Grounds, Query, Reasoning, ReplyPart, Stage
from memory.core.english.grammatical_person import FIRST_PERSON
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.ports import GraphWalker, MemoryReader, QuestionReader
from memory.core.reasoning_tree.rule_based import RuleBasedPolicy, RuleBasedValue
from memory.core.reasoning_tree.types import SearchConfig, SearchQuery
from memory.core.types import Entity, Triple

# How many links one look follows by itself: "my sister's job" has two.
_ONE_LOOK = 2
_KINDS = frozenset({"country", "nation", "state", "continent", "region", "city", "town", "village"})


@dataclass(frozen=True)
class Looked:
    """The result of one lookup in the graph, and the answer that it gives."""

    found: Recollection
    answer: Answer


@dataclass(frozen=True, kw_only=True)
class RuleReasoning:
    """Answers questions by rule, one after the other."""

    memory: MemoryReader
    walker: GraphWalker
    reader: QuestionReader | None
    read_back: ReadBack
    config: SearchConfig

    def answer(
        self, question: GraphQuestion, chain: ChainQuestion | None, query: Query, *, place: int = 0
    ) -> Iterator[ReplyPart | Finding]:
        """Yield the steps of the search, and at last the finding. `place` is that of the question in its message."""
        is_plain = chain is None or not is_woven(chain)
        looked = self._look(question, query) if is_plain else None
        if chain is None or (looked is not None and self._is_settled(chain, looked)):
            yield from self._looked_up(looked or self._look(question, query))
            return
        reading = PlanReading(chain, query, memory=self.memory, look=lambda text: self._look_for(text, query))
        near = triples_near(chain.text, memory=self.memory, walker=self.walker)
        reading.with_entries(_entries(reading, near))
        if not reading.anchors and not near:
            yield from self._looked_up(looked or self._look(question, query))
            return
        entries = (*reading.anchors, *ends_of(near))
        result = yield from searched(
            SearchQuery(query.text, query.speaker, query.asked_at, query.history, entries),
            policy=RuleBasedPolicy(reading),
            value=RuleBasedValue(reading),
            walker=self.walker,
            resolver=NamedEntities(self.memory),
            config=self.config,
            place=place,
        )
        best = result.best if result is not None else None
        finding = reading.finding(best.state.subgraph if best is not None else ())
        if not finding.is_answered and looked is None and _is_told_at_once(chain):
            said = self._look(question, query)
            looked = said if said.answer.is_known else None
        settled = _settled(finding, looked)
        if result is not None and best is not None and settled.reply != best.state.answer:
            # The tree does not show as the answer what is not said.
            yield Reasoning(replace(result, best=None), search=place)
        if not finding.is_answered and looked is not None:
            yield Stage("recall", looked_at(looked.found))
            yield from looked.answer.steps
        yield settled

    def _is_settled(self, chain: ChainQuestion, looked: Looked) -> bool:
        """Return whether one lookup answers a question that joins no facts."""
        made, question = looked.answer, looked.found.question
        if len(chain.sketch.links) > _ONE_LOOK and not question.is_past and question.wanted is not Wanted.NAME:
            return False
        if question.is_past or question.time:
            return made.is_known or bool(question.time)
        if chain.aim is Aim.TRUTH:
            return made.text.startswith("Yes")
        if question.wanted is Wanted.NAME:
            return made.is_known
        is_kind = chain.answer is not None and bool(_KINDS & set(chain.sketch.things[chain.answer].noun.split()))
        # "Where is my daughter's school?" asks for the place of the school, and a look may take it for the daughter's.
        is_placed = any(link.target == chain.answer and link.words.startswith("be ") for link in chain.sketch.links)
        return made.is_known and bool(made.grounds.triples) and not is_kind and not is_placed

    def _looked_up(self, looked: Looked) -> Iterator[ReplyPart | Finding]:
        yield Stage("recall", looked_at(looked.found))
        yield from looked.answer.steps
        yield Finding(looked.answer.text, looked.answer.grounds, is_answered=looked.answer.is_known)

    def _look(self, question: GraphQuestion, query: Query) -> Looked:
        found = recall(question, query, memory=self.memory)
        return Looked(found, answer(found, query, read_back=self.read_back))

    def _look_for(self, text: str, query: Query) -> Answer:
        """Return what one lookup gives for a link of a chain, whose name stands in the text."""
        [question] = read_questions([text], reader=self.reader)
        return answer(recall(question, query, memory=self.memory), query, read_back=self.read_back)


def _is_told_at_once(chain: ChainQuestion) -> bool:
    """Return whether one thing that the asker said may answer where no facts do: "Who took over my old job?"."""
    return len(chain.sketch.links) <= _ONE_LOOK and FIRST_PERSON.search(chain.text) is not None


def _settled(finding: Finding, looked: Looked | None) -> Finding:
    """Return the search's finding or, for a plain question without one, the lookup's answer."""
    if finding.is_answered or looked is None:
        return finding
    if looked.answer.is_known:
        return Finding(looked.answer.text, looked.answer.grounds, is_answered=True)
    return finding if finding.grounds != Grounds() else Finding(looked.answer.text)


def is_woven(chain: ChainQuestion) -> bool:
    """Return whether a question joins facts that no single lookup can join.

    A lookup follows owners in a row ("my sister's boss's dog"), but not verbs that describe a thing, two conditions on one
    thing, or things that have something in common.
    """
    if chain.aim is Aim.CONNECTION:
        return True
    links, answer = chain.sketch.links, chain.answer
    verbs = [link for link in links if not link.is_role]
    describing = [link for link in verbs if answer not in (link.source, link.target)]
    is_described = chain.aim is not Aim.TRUTH and bool(describing) and chain.sketch.is_described(describing[0].target)
    of_answer = [link for link in links if answer in (link.source, link.target)]
    owned = [link for link in links if link.is_role and link.source == answer]
    targets = [link.target for link in links if chain.sketch.is_described(link.target)]
    return (
        len(verbs) > 1
        or is_described
        or (answer is not None and len(of_answer) > 1)
        or bool(owned)
        or len(set(targets)) < len(targets)
    )


def _entries(reading: PlanReading, near: Sequence[Triple]) -> list[Entity]:
    """Return the entities near to the question, first those whose triples state one of its links, the last link's first."""
    links = list(reversed(reading.plan.links))

    def rank(triple: Triple) -> int:
        return next((place for place, link in enumerate(links) if reading.words.fit(link, triple)), len(links))

    return ends_of(sorted(near, key=rank))
