"""The responder `d_smart_no_memory`: the search without its graph (D-SMART, Table 2, "w/o DSM"). It thinks and answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from conversations.core.responders.d_smart.searching import concluded, searched
from conversations.core.responders.message import is_courtesy
from conversations.core.responders.writing import Material, written
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.ports import LanguageModel
from memory.core.reasoning_tree.ports import ActionPolicy, StateValue
from memory.core.reasoning_tree.types import SearchConfig, SearchQuery


@dataclass(frozen=True, kw_only=True)
class PromptedNoMemory:
    """Implements `Responder`."""

    name: str = "d_smart_no_memory"
    propose_action: ActionPolicy
    score_state: StateValue
    write_answer: LanguageModel
    search_config: SearchConfig

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("read", "read your message")
        if is_courtesy(query.text):
            yield from written(query, Material(), write_answer=self.write_answer)
            return
        sought = SearchQuery(query.text, query.speaker, query.asked_at, query.history, has_graph=False)
        result = yield from searched(
            sought, policy=self.propose_action, value=self.score_state, config=self.search_config
        )
        yield from concluded(query, sought, result, write_answer=self.write_answer)
