"""The responder `d_smart` with a language model, and its ablations (D-SMART, Equation 1, Algorithm 2, Table 2).

The message enters the graph by the entities that it names and by the sentences that are near to it; a search through the
reasoning tree, its policy and value prompted, finds the state that answers. Where the best state has no answer yet, the
model writes one from what that state knows (Figure 14).

Departures from the paper:
- A greeting, thanks and the like are replied to without a search: there is nothing to look for.
- `d_smart_no_tree` puts the neighbourhood of the entries into the prompt, capped, where the paper's ablation puts in the
  whole graph: a memory of years fits no prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from conversations.core.responders.d_smart.entries import NamedEntities, ends_of, entities_called, triples_near
from conversations.core.responders.grounded import FAITHFUL
from conversations.core.responders.message import Kind, read_message
from conversations.core.types import Delta, Grounds, GroundSentence, GroundTriple, Query, Reasoning, ReplyPart, Stage
from memory.core.errors import LanguageModelError
from memory.core.knowledge_graph.time_expressions import say_day
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.ports import GraphWalker, LanguageModel, MemoryReader
from memory.core.prompting import render_prompt
from memory.core.reasoning_tree.presentation import TripleRenderer, fact_lines, history_lines, trajectory_lines
from memory.core.reasoning_tree.prompted import PromptedPolicy, PromptedValue
from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import Level, Progress, SearchConfig, SearchQuery, SearchResult, State
from memory.core.tracing import as_role
from memory.core.types import Entity, Prompt, SamplingConfig, SourceSentence, Triple

PROMPT = Path(__file__).parent / "prompts" / "answer.md.j2"
_COURTESIES = frozenset({Kind.GREETING, Kind.THANKS, Kind.FAREWELL, Kind.ASSENT, Kind.NOISE})
_GROUNDS = 20
_HISTORY = 6
# What fits a prompt of the ablation without the tree.
_NEIGHBOURHOOD = 60
_NEIGHBOURHOOD_HOPS = 2


class PromptedDSmart:
    """Implements `Responder` over a language model. Without a walker it thinks and answers only: the tree without a graph."""

    def __init__(
        self,
        *,
        name: str = "d_smart",
        language_model: LanguageModel,
        memory: MemoryReader,
        walker: GraphWalker | None,
        config: SearchConfig,
        sampling: SamplingConfig = FAITHFUL,
    ) -> None:
        self.name = name
        self._language_model = language_model
        self._memory = memory
        self._walker = walker
        self._config = config
        self._sampling = sampling

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        kinds = {piece.kind for piece in read_message(query.text)}
        yield Stage("read", "read your message")
        if kinds <= _COURTESIES:
            yield from self._written(query, State())
            return
        result: SearchResult | None = None
        for part in self._search(query):
            if isinstance(part, Reasoning) and isinstance(part.part, SearchResult):
                result = part.part
            yield part
        if result is None or result.best is None:
            raise _nothing_left(result)
        state = result.best.state
        if not state.is_terminal:
            yield from self._written(query, state)
            return
        yield from grounds_of(state.subgraph)
        yield from _pieces(state.answer)

    def _search(self, query: Query) -> Iterator[ReplyPart]:
        entries: Sequence[Entity] = ()
        render = _renderer(query)
        if self._walker is not None:
            yield Stage("recall", "looked for where to begin")
            near = triples_near(query.text, memory=self._memory, walker=self._walker)
            named = entities_called(query, memory=self._memory)
            entries = list({entity.id: entity for entity in [*named, *ends_of(near)]}.values())
        for event in beam_search(
            SearchQuery(
                query.text,
                query.speaker,
                query.asked_at,
                query.history,
                tuple(entries),
                has_graph=self._walker is not None,
            ),
            policy=PromptedPolicy(
                as_role(self._language_model, "propose_action"), render_triple=lambda triple, _: render(triple)
            ),
            value=PromptedValue(
                as_role(self._language_model, "score_state"), render_triple=lambda triple, _: render(triple)
            ),
            walker=self._walker,
            resolver=NamedEntities(self._memory),
            config=self._config,
        ):
            if isinstance(event, Progress):
                yield Stage("reason", event.detail)
            elif isinstance(event, Level | SearchResult):
                yield Reasoning(event)

    def _written(self, query: Query, state: State) -> Iterator[ReplyPart]:
        """Yield a reply that the model writes from what a state knows."""
        yield from grounds_of(state.subgraph)
        yield Stage("write", "writing the reply")
        yield from _streamed(self._language_model, answer_prompt(query, state), self._sampling)


class PromptedNoTree:
    """Implements `Responder`: the neighbourhood of the entries in the prompt, and no search (Table 2, "w/o RT")."""

    name = "d_smart_no_tree"

    def __init__(
        self,
        *,
        language_model: LanguageModel,
        memory: MemoryReader,
        walker: GraphWalker,
        sampling: SamplingConfig = FAITHFUL,
    ) -> None:
        self._language_model = language_model
        self._memory = memory
        self._walker = walker
        self._sampling = sampling

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("read", "read your message")
        near = triples_near(query.text, memory=self._memory, walker=self._walker)
        entries = [*entities_called(query, memory=self._memory), *ends_of(near)]
        ids = list(dict.fromkeys(entity.id for entity in entries))
        around = self._walker.expand_many([ids], hops=_NEIGHBOURHOOD_HOPS, limit=_NEIGHBOURHOOD) if ids else []
        triples = [*near, *(triple for one in around for triple in one.triples)]
        known = tuple({triple.id: triple for triple in triples}.values())[:_NEIGHBOURHOOD]
        if entries:
            yield Stage("recall", f"looked around {entries[0].label}")
        yield from grounds_of(known)
        yield Stage("write", "writing the reply")
        yield from _streamed(self._language_model, answer_prompt(query, State(subgraph=known)), self._sampling)


def answer_prompt(query: Query, state: State) -> Prompt:
    """Return the prompt that asks for a reply from what a state knows (the contract of Figure 14)."""
    return render_prompt(
        PROMPT,
        today=say_day(query.asked_at),
        speaker=query.speaker or "the user",
        facts=fact_lines(state.subgraph, _renderer(query)),
        steps=trajectory_lines(state.trajectory),
        history=history_lines(query.history, limit=_HISTORY),
        message=query.text,
    )


def grounds_of(triples: Sequence[Triple]) -> Iterator[Grounds]:
    """Yield what a kept path knows, the latest found first; nothing for an empty one."""
    latest = list(reversed(triples))[:_GROUNDS]
    if not latest:
        return
    sources: dict[int, SourceSentence] = {triple.source.id: triple.source for triple in reversed(latest)}
    yield Grounds(
        tuple(GroundTriple(triple, "was found on the way to the reply") for triple in latest),
        tuple(GroundSentence(source, "is where this was said") for source in reversed(sources.values())),
    )


def _renderer(query: Query) -> TripleRenderer:
    return lambda triple: triple_text(triple, asker=query.speaker, at=query.asked_at)


def _streamed(model: LanguageModel, prompt: Prompt, sampling: SamplingConfig) -> Iterator[Delta]:
    for text in as_role(model, "write_answer").stream(prompt, config=sampling):
        if text:
            yield Delta(text)


def _pieces(text: str) -> Iterator[Delta]:
    """Yield an answer that is there as a whole in groups of three words."""
    words = text.split(" ")
    for start in range(0, len(words), 3):
        yield Delta(("" if start == 0 else " ") + " ".join(words[start : start + 3]))


def _nothing_left(result: SearchResult | None) -> LanguageModelError:
    why = f" The model said: {result.failures[0]}" if result is not None and result.failures else ""
    return LanguageModelError(
        f"The search for a reply came to nothing, because no step of it could be used.{why} Try again."
    )
