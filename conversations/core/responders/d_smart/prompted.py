"""The responder `d_smart` with a language model (D-SMART, Equation 1, Algorithm 2).

The message enters the graph by the entities that it names and by the sentences that are near to it; a search through the
reasoning tree, its policy and value prompted, finds the state that answers. Where the best state has no answer yet, the
model writes one from what that state knows (Figure 14).

Departure from the paper: a greeting, thanks and the like are replied to without a search, for there is nothing to look for.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from conversations.core.responders.d_smart.entries import (
    NamedEntities,
    ends_of,
    entities_called,
    relations_of,
    said_near,
    triples_behind,
)
from conversations.core.responders.d_smart.searching import concluded, searched
from conversations.core.responders.message import is_courtesy
from conversations.core.responders.writing import Material, written
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.ports import GraphWalker, LanguageModel, MemoryReader
from memory.core.reasoning_tree.ports import ActionPolicy, StateValue
from memory.core.reasoning_tree.types import SearchConfig, SearchQuery


@dataclass(frozen=True, kw_only=True)
class PromptedDSmart:
    """Implements `Responder`."""

    name: str = "d_smart"
    memory: MemoryReader
    walker: GraphWalker
    propose_action: ActionPolicy
    score_state: StateValue
    write_answer: LanguageModel
    search_config: SearchConfig

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("read", "read your message")
        if is_courtesy(query.text):
            yield from written(query, Material(), write_answer=self.write_answer)
            return
        yield Stage("recall", "looked for where to begin")
        said = said_near(query, memory=self.memory)
        near = triples_behind(said, walker=self.walker)
        named = entities_called(query, memory=self.memory)
        entries = tuple({entity.id: entity for entity in [*named, *ends_of(near)]}.values())
        known = {triple.id: triple for triple in [*near, *relations_of(entries, memory=self.memory)]}
        sought = SearchQuery(
            query.text,
            query.speaker,
            query.asked_at,
            query.history,
            entries,
            near=tuple(known.values()),
            said=tuple(said),
        )
        result = yield from searched(
            sought,
            policy=self.propose_action,
            value=self.score_state,
            walker=self.walker,
            resolver=NamedEntities(self.memory),
            config=self.search_config,
        )
        yield from concluded(query, sought, result, write_answer=self.write_answer)
