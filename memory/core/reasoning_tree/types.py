"""The words of the reasoning tree (D-SMART, "Reasoning Tree for Memory Traversal"): states, actions, nodes, costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memory.core.types import Entity, SourceSentence, Triple, Utterance


class ActionKind(StrEnum):
    """The action set A. The first two are executed against the graph, without a model."""

    EXPAND_ENTITY = "expand_entity"
    FIND_PATH = "find_path"
    THINK = "think"
    ANSWER = "answer"


@dataclass(frozen=True)
class Action:
    """One action. `arguments` are names of entities: one to expand, two to connect, none otherwise.

    `text` is the thought of a THINK and the reply of an ANSWER, empty where it is still to be written.
    """

    kind: ActionKind
    arguments: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class InVain:
    """A look into the graph that brought nothing, and why, as a sentence for a person."""

    action: Action
    reason: str


@dataclass(frozen=True)
class State:
    """A reasoning state S_i = (subgraph, trajectory, value, depth). `value` is in [0, 1], 1 at the root.

    `in_vain` is what was tried on the way and left no state: the policy need not propose it again.
    """

    subgraph: tuple[Triple, ...] = ()
    trajectory: tuple[Action, ...] = ()
    value: float = 1.0
    depth: int = 0
    in_vain: tuple[InVain, ...] = ()

    @property
    def answer(self) -> str:
        """The reply of a terminal state, else nothing."""
        last = self.trajectory[-1] if self.trajectory else None
        return last.text if last is not None and last.kind is ActionKind.ANSWER else ""

    @property
    def is_terminal(self) -> bool:
        return bool(self.trajectory) and self.trajectory[-1].kind is ActionKind.ANSWER


@dataclass(frozen=True)
class SearchQuery:
    """What a search is about: the question q_t with its history, and where in the graph it may begin.

    `entries` are the entities that the question names or is near to, best first; `speaker` is who asks. `near` are the
    triples nearest to the question, with those that say who the entries are, `said` the nearest sentences. Without a graph
    there is nothing but thoughts and answers; where `must_answer`, nothing but answers.
    """

    text: str
    speaker: str
    asked_at: datetime
    history: tuple[Utterance, ...] = ()
    entries: tuple[Entity, ...] = ()
    near: tuple[Triple, ...] = ()
    said: tuple[SourceSentence, ...] = ()
    has_graph: bool = True
    must_answer: bool = False


@dataclass(frozen=True)
class Cost:
    """What calls to a language model took: how many, and their tokens as far as the server tells."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True)
class Rejected:
    """A reply of the policy or of the value function that cannot be used, and why, as a sentence for a person.

    `reply` is what came, cut to what fits a trace; empty where nothing came.
    """

    reason: str
    reply: str = ""


@dataclass(frozen=True)
class Proposed:
    """One sampled action with its cost."""

    action: Action | Rejected
    cost: Cost = Cost()


@dataclass(frozen=True)
class Scored:
    """The value of one state, in [0, 1], with its cost."""

    value: float | Rejected
    cost: Cost = Cost()


class Fate(StrEnum):
    """What became of a node: on the beam, off it, merged with an equal one, or unusable."""

    KEPT = "kept"
    PRUNED = "pruned"
    DUPLICATE = "duplicate"
    DROPPED = "dropped"


@dataclass(frozen=True)
class SearchNode:
    """One node of the tree as the trace shows it. The root has number 0, no parent and no action.

    Nodes are numbered in the order in which they were proposed. `added` are the triples that its action brought.
    `reason` says why a node was dropped or merged, or what a limit cut off. `milliseconds` is its share of its level's
    graph actions; a batch of model calls is timed by its level. Where a node was dropped or merged, its state is the one
    that it would have had, as far as it came; ask the node for its value, not the state. Where `is_scored` is false, no
    score could be had: the state has its parent's value, and stands behind all that were scored.
    """

    number: int
    parent: int | None
    action: Action | None
    state: State
    fate: Fate
    added: tuple[Triple, ...] = ()
    reason: str = ""
    cost: Cost = Cost()
    milliseconds: float = 0.0
    is_scored: bool = True

    @property
    def value(self) -> float | None:
        """The value of the node's state, None where none was given."""
        return self.state.value if self.is_scored and self.fate in (Fate.KEPT, Fate.PRUNED) else None


class StopReason(StrEnum):
    """Why a search ended: the whole beam answers, one answer is good `ENOUGH`, a limit was reached, or a level brought
    nothing that could be scored (`EXHAUSTED`)."""

    ANSWERED = "answered"
    ENOUGH = "enough"
    DEPTH = "depth"
    EXPANSIONS = "expansions"
    CALLS = "calls"
    TOKENS = "tokens"
    SECONDS = "seconds"
    EXHAUSTED = "exhausted"


@dataclass(frozen=True)
class SearchConfig:
    """The parameters of the search. Defaults: D-SMART, Appendix B ("Conf-5" and M_exp).

    `max_expansions` counts states that proposals are asked for. A budget of None is no limit. `max_calls` is for the whole
    reply: the search leaves one call to whoever writes it; each proposal and each score is reckoned as a call at most.
    `hops` is how far EXPAND ENTITY reaches, `path_edges` how long a path FIND PATH takes, `triples` what one action may add.

    `enough` is the value from which an answer that leads its level ends the search; None, as Algorithm 2 is printed, never
    does. Where `answers_last`, the last level that depth or calls allow proposes answers only, one a state.
    """

    beam_width: int = 3
    samples: int = 3
    max_depth: int = 5
    max_expansions: int = 12
    hops: int = 1
    path_edges: int = 4
    triples: int = 40
    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    enough: float | None = None
    answers_last: bool = False

    def __post_init__(self) -> None:
        for name in ("beam_width", "samples", "max_depth", "max_expansions", "hops", "path_edges", "triples"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} of a search is at least 1, not {getattr(self, name)}.")


@dataclass(frozen=True)
class Progress:
    """Something that the search did, for the quiet line of progress: "looked at Maya"."""

    detail: str


@dataclass(frozen=True)
class Level:
    """A level is done. `nodes` are its new nodes and those of earlier levels whose fate changed.

    Level 0 comes first and has the root alone.
    """

    depth: int
    nodes: tuple[SearchNode, ...]
    waits: int
    milliseconds: float


@dataclass(frozen=True)
class SearchResult:
    """The end of a search: the state that answers (None where every branch failed), its node, and what it all took.

    Where the state of `best` is not terminal, its reply is still to be written, from its facts and its trajectory.
    `waits` counts the batches of model calls that had to be waited for one after the other; `config` are the limits that
    the search ran under. `failures` says what was wrong with replies of the model, each fault once. `found` are the triples
    that any of its steps brought, in order.
    """

    best: SearchNode | None
    stopped_by: StopReason
    cost: Cost = Cost()
    waits: int = 0
    milliseconds: float = 0.0
    failures: tuple[str, ...] = field(default=())
    found: tuple[Triple, ...] = ()
    config: SearchConfig = field(kw_only=True)


SearchEvent = Progress | Level | SearchResult
