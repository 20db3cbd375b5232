"""Facts of a round that its statement tells already: who reads a round whole writes nothing twice.

Departures from the paper:
- The paper asks for facts in a call of its own (SGMem, Appendix B.4). A statement whose sentences name their
  people and dates, and the line that each rests on, says the same.
"""

from collections.abc import Sequence

from memory.core.grounding import Grounds
from memory.core.sentence_graph.digests.types import RoundWords, ToldFact
from memory.core.types import Role


class StatementFactWriter:
    """A `FactWriter` that takes what a round's statement says of people from their own words."""

    def write_many(self, rounds: Sequence[RoundWords]) -> list[list[ToldFact]]:
        """Return of each round the sentences of its statement that rest on a person's words and name somebody."""
        return [_told(one) for one in rounds]


def _told(one: RoundWords) -> list[ToldFact]:
    people = {said.speaker for said in (*one.context, *one.sentences) if said.role is Role.USER}
    grounds = Grounds(said.text for said in (*one.context, *one.sentences))
    return [
        ToldFact(text, source)
        for text, source in zip(one.statement.sentences, one.statement.sources, strict=True)
        if one.sentences[source].role is Role.USER and grounds.names_one_of(text, people)
    ]
