"""The responder `d_smart` by rule: a search through a reasoning tree over the graph (D-SMART, Equation 1).

Whatever is no question is answered as `graph` answers it. Questions are looked up where one look suffices, and searched for
where facts have to be joined: the tree is grown by rule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conversations.core.responders.answers import Answer
from conversations.core.responders.d_smart.questions import ChainQuestion, read_chains
from conversations.core.responders.d_smart.reading import Finding
from conversations.core.responders.d_smart.rules import RuleReasoning
from conversations.core.responders.graph.rule_based import RuleBasedGraph
from conversations.core.responders.message import Kind, Piece, parted
from conversations.core.responders.said_answers import read_back
from conversations.core.types import Query, ReplyPart
from memory.core.knowledge_graph.question import GraphQuestion
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.ports import GraphWalker, SyntacticParser
from memory.core.reasoning_tree.types import SearchConfig
from memory.core.types import AskedKind

# Rules need no samples to differ: a wide look costs them one read, and a deep way five levels.
BY_RULE = SearchConfig(samples=4, hops=1, triples=60)


@dataclass(frozen=True, kw_only=True)
class RuleBasedDSmart(RuleBasedGraph):
    """Implements `Responder`. The policy and the value of its search read each question by rule."""

    name: str = "d_smart"
    walker: GraphWalker
    parser: SyntacticParser

    def _answers(self, query: Query, pieces: Sequence[Piece]) -> Iterator[ReplyPart | Answer]:
        reasoning = RuleReasoning(
            memory=self.memory,
            walker=self.walker,
            reader=self.read_questions,
            read_back=read_back(self.read_answers, passages=self.passages),
            config=BY_RULE,
        )
        for place, (question, chain) in enumerate(self._questions(pieces)):
            for part in reasoning.answer(question, chain, query, place=place):
                if isinstance(part, Finding):
                    yield Answer(part.reply, part.grounds, part.is_answered, question=question.text)
                else:
                    yield part

    def _questions(self, pieces: Sequence[Piece]) -> list[tuple[GraphQuestion, ChainQuestion | None]]:
        """Return each question, read for one lookup and as a chain; one with two subjects is two unless it joins them."""
        asked = [piece.text for piece in pieces if piece.kind is Kind.QUESTION]
        if not asked:
            return []
        chains = read_chains(asked, parser=self.parser)
        texts: list[tuple[str, ChainQuestion | None]] = []
        for text, chain in zip(asked, chains, strict=True):
            parts = parted(text)
            whole = len(parts) == 1 or (chain is not None and _joins(chain))
            texts += [(text, chain)] if whole else [(part, None) for part in parts]
        questions = read_questions([text for text, _ in texts], reader=self.read_questions)
        return [
            (question, chain if question.kind is AskedKind.MEMORY else None)
            for question, (_, chain) in zip(questions, texts, strict=True)
        ]


def _joins(chain: ChainQuestion) -> bool:
    """Return whether a question asks what two subjects have in common rather than about each of them."""
    targets = [link.target for link in chain.sketch.links if not link.is_role]
    roles = [link.target for link in chain.sketch.links if link.is_role]
    shared = {target for target in (*targets, *roles) if (*targets, *roles).count(target) > 1}
    said = f" {chain.text.lower()} "
    return chain.pair is not None or bool(shared) and (" both " in said or " same " in said)
