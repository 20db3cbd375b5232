"""The reply from the best state of a search: its answer, or what a model writes from its facts (D-SMART, Figure 14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from conversations.core.responders.deltas import FAITHFUL, deltas, streamed
from conversations.core.types import Grounds, GroundSentence, GroundTriple, Query, ReplyPart, Stage
from memory.core.english.telling_times import say_day
from memory.core.errors import LanguageModelError
from memory.core.knowledge_graph.verbalisation import triple_text
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.reasoning_tree.presentation import fact_lines, history_lines, trajectory_lines
from memory.core.reasoning_tree.types import SearchResult, State
from memory.core.types import Prompt, SourceSentence, Triple

PROMPT = Path(__file__).parent / "prompts" / "answer.md.j2"
_GROUNDS = 20
_HISTORY = 6


def concluded(query: Query, result: SearchResult | None, *, write_answer: LanguageModel) -> Iterator[ReplyPart]:
    """Yield the reply of a search; the model writes it if the best state has no answer yet."""
    if result is None or result.best is None:
        raise _nothing_left(result)
    state = result.best.state
    if state.is_terminal:
        yield from grounds_of(state.subgraph)
        yield from deltas(state.answer)
    else:
        yield from written(query, state, write_answer=write_answer)


def written(query: Query, state: State, *, write_answer: LanguageModel) -> Iterator[ReplyPart]:
    """Yield a reply that the model writes from the facts of a state."""
    yield from grounds_of(state.subgraph)
    yield Stage("write", "writing the reply")
    yield from streamed(write_answer.stream(answer_prompt(query, state), config=FAITHFUL))


def answer_prompt(query: Query, state: State) -> Prompt:
    """Return the prompt for a reply from the facts of a state (the contract of Figure 14)."""
    return render_prompt(
        PROMPT,
        today=say_day(query.asked_at),
        speaker=query.speaker or "the user",
        facts=fact_lines(state.subgraph, lambda triple: triple_text(triple, asker=query.speaker, at=query.asked_at)),
        steps=trajectory_lines(state.trajectory),
        history=history_lines(query.history, limit=_HISTORY),
        message=query.text,
    )


def grounds_of(triples: Sequence[Triple]) -> Iterator[Grounds]:
    """Yield the triples of a path as grounds, the latest found first; nothing for an empty path."""
    latest = list(reversed(triples))[:_GROUNDS]
    if not latest:
        return
    sources: dict[int, SourceSentence] = {triple.source.id: triple.source for triple in reversed(latest)}
    yield Grounds(
        tuple(GroundTriple(triple, "was found on the way to the reply") for triple in latest),
        tuple(GroundSentence(source, "is where this was said") for source in reversed(sources.values())),
    )


def _nothing_left(result: SearchResult | None) -> LanguageModelError:
    why = f" The model said: {result.failures[0]}" if result is not None and result.failures else ""
    return LanguageModelError(
        f"The search for a reply came to nothing, because no step of it could be used.{why} Try again."
    )
