"""The search through the reasoning tree (D-SMART, Algorithm 2): a beam search over what memory knows.

Comments name the lines of Algorithm 2.

Departures from the paper:
- A level is asked for as a whole: one batch of proposals for all states of the beam, one batch of scores for all that comes
  of them. Algorithm 2 asks for one after the other; what it finds is the same, the waiting is 2 D_max instead of
  2 B S D_max.
- Equal proposals and equal states are merged before they are scored, and steps that bring nothing are dropped
  (`actions.py`).
- M_exp, of which Algorithm 2 does not speak, bounds how many states are expanded in all. A state for which a limit
  leaves no room stays in the pool with the value that it has.
- A proposal that cannot be used drops its node; a state whose score cannot be used stays, behind all that were scored. A
  level without a score leaves the beam as it was, and ends the search.
- Where the configuration says so, the search ends with a level that an answer leads whose value is enough, and the last
  level asks for one answer a state. Without either it is Algorithm 2 as printed.
- Line 24 takes the best of the beam. Here answers that fell off the beam compete once more; and where no further call is
  possible (a budget is used up, or a level failed), an answer goes before a better state that has none.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from memory.core.errors import MemoryCoreError
from memory.core.ports import GraphWalker
from memory.core.reasoning_tree.actions import dropped, is_open, taken
from memory.core.reasoning_tree.budget import Budget, Grant
from memory.core.reasoning_tree.ports import ActionPolicy, EntityResolver, StateValue
from memory.core.reasoning_tree.types import (
    ActionKind,
    Fate,
    Level,
    Progress,
    Proposed,
    Rejected,
    Scored,
    SearchConfig,
    SearchEvent,
    SearchNode,
    SearchQuery,
    SearchResult,
    State,
    StopReason,
)
from memory.core.types import Triple

DEFAULTS = SearchConfig()
# Ends that leave a search free to have its reply written by one more call.
UNHURRIED = frozenset({StopReason.ANSWERED, StopReason.ENOUGH, StopReason.DEPTH, StopReason.EXPANSIONS})


def beam_search(
    query: SearchQuery,
    *,
    policy: ActionPolicy,
    value: StateValue,
    walker: GraphWalker | None = None,
    resolver: EntityResolver | None = None,
    config: SearchConfig = DEFAULTS,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[SearchEvent]:
    """Yield the search as it goes: what it does, each level, and at last its one result (D-SMART, Algorithm 2).

    Without a walker there is no graph: only thoughts and answers are taken. Without a resolver, names are those of the
    query's entries and of what was found. Failures of the roles (`MemoryCoreError`) end as reasons of nodes, and are never
    raised. Closing the iterator ends the search.
    """
    budget = Budget(config, clock, began=clock())
    root = SearchNode(0, None, None, State(), Fate.KEPT)  # line 1
    beam = [root]  # line 2
    answers: list[SearchNode] = []
    failures: dict[str, None] = {}
    found: dict[int, Triple] = {}
    count, was_heard, stopped_by = 1, False, StopReason.DEPTH
    yield Level(0, (root,), waits=0, milliseconds=0.0)

    for depth in range(1, config.max_depth + 1):  # line 3
        began, waits = clock(), budget.waits
        is_last = config.answers_last and (depth == config.max_depth or depth > 1 and budget.is_scant())
        open_states = [node for node in beam if not node.state.is_terminal]  # lines 5 and 6
        grant = budget.grant(open_states, samples=1 if is_last else config.samples)
        if grant.refused is not None:
            stopped_by = grant.refused
            break
        proposals = _proposals(policy, replace(query, must_answer=is_last), grant)  # line 7
        budget = budget.after([one.cost for some in proposals for one in some], expansions=len(grant.states))
        proposed = _numbered(grant.states, proposals, first=count, depth=depth)
        count += len(proposed)
        new = taken(proposed, query, walker=walker, resolver=resolver, config=config, clock=clock)  # lines 8 to 10
        for detail in dict.fromkeys(_detail(node) for node in new if is_open(node)):
            yield Progress(detail)
        used_up = budget.exceeded()
        scores = {} if used_up else _scores(value, query, new, budget.calls_left())  # line 11
        budget = budget.after([score.cost for score in scores.values()])
        new = [_scored(node, scores.get(node.number)) for node in new]

        standing = [node for node in new if is_open(node)]
        is_guided = any(node.is_scored for node in standing)
        answers += [node for node in standing if node.state.is_terminal]
        found |= {triple.id: triple for node in new for triple in node.added}
        failures |= dict.fromkeys(_failures(proposed, scores))
        was_heard = was_heard or any(_is_heard(one) for some in proposals for one in some)
        expanded = {node.number for node in grant.states}
        before = beam
        if is_guided:
            pool = [*standing, *(node for node in beam if node.number not in expanded)]  # lines 12 to 16
            beam = [replace(node, fate=Fate.KEPT) for node in sorted(pool, key=_rank)[: config.beam_width]]  # 18, 19
        nodes = _with_fates(new, before=before, beam=beam, expanded=expanded)
        yield Level(depth, nodes, waits=budget.waits - waits, milliseconds=(clock() - began) * 1000)
        if not is_guided:
            stopped_by = used_up or StopReason.EXHAUSTED
            break
        if config.enough is not None and beam[0].state.is_terminal and (beam[0].value or 0.0) >= config.enough:
            stopped_by = StopReason.ENOUGH
            break
        if all(node.state.is_terminal for node in beam):  # lines 20 and 21
            stopped_by = StopReason.ANSWERED
            break

    # An answer that nobody could judge and that rests on no fact would hide what was found.
    final = [node for node in answers if node.is_scored or node.state.subgraph or not found]
    best = _best([*beam, *final], stopped_by)  # line 24
    yield SearchResult(
        # A root that answers is a plain reply. Where the model gave not a word, it would hide that.
        None if best.parent is None and failures and not was_heard else best,
        stopped_by,
        cost=budget.cost,
        waits=budget.waits,
        milliseconds=(clock() - budget.began) * 1000,
        failures=tuple(failures),
        found=tuple(found.values()),
        config=config,
    )


def _proposals(policy: ActionPolicy, query: SearchQuery, grant: Grant) -> list[list[Proposed]]:
    """Ask for the proposals of a whole level. A policy that raises has failed for every state."""
    states = [node.state for node in grant.states]
    try:
        return policy.propose_many(query, states, samples=grant.samples)
    except MemoryCoreError as error:
        return [[Proposed(Rejected(str(error)))] for _ in states]


def _numbered(
    parents: Sequence[SearchNode], proposals: Sequence[Sequence[Proposed]], *, first: int, depth: int
) -> list[SearchNode]:
    """Return one node a proposal: its parent's state, one deeper, with the action at the end of the trajectory."""
    nodes: list[SearchNode] = []
    for parent, some in zip(parents, proposals, strict=True):
        for proposed in some:
            action, state = proposed.action, replace(parent.state, depth=depth)
            node = SearchNode(first + len(nodes), parent.number, None, state, Fate.PRUNED, cost=proposed.cost)
            if isinstance(action, Rejected):
                nodes.append(dropped(node, _said(action)))
            else:
                state = replace(state, trajectory=(*state.trajectory, action))
                nodes.append(replace(node, action=action, state=state))
    return nodes


def _scores(value: StateValue, query: SearchQuery, nodes: Sequence[SearchNode], limit: int | None) -> dict[int, Scored]:
    """Ask for the scores of a level's nodes, at most `limit` of them, and return them by node number."""
    asked = [node for node in nodes if is_open(node)][:limit]
    if not asked:
        return {}
    try:
        scores = value.score_many(query, [node.state for node in asked])
    except MemoryCoreError as error:
        scores = [Scored(Rejected(str(error))) for _ in asked]
    return {node.number: _in_range(score) for node, score in zip(asked, scores, strict=True)}


def _in_range(score: Scored) -> Scored:
    if isinstance(score.value, Rejected) or 0.0 <= score.value <= 1.0:
        return score
    return replace(score, value=Rejected(f"A score of {score.value:g} is not between 0 and 1."))


def _scored(node: SearchNode, score: Scored | None) -> SearchNode:
    if not is_open(node):
        return node
    if score is None:
        return replace(node, is_scored=False, reason="A budget was used up before this step could be scored.")
    node = replace(node, cost=node.cost + score.cost)
    if isinstance(score.value, Rejected):
        return replace(node, is_scored=False, reason=_said(score.value))
    return replace(node, state=replace(node.state, value=score.value))


def _failures(proposed: Sequence[SearchNode], scores: Mapping[int, Scored]) -> list[str]:
    """Return what was wrong with the model's replies."""
    unread = [node.reason for node in proposed if not is_open(node)]
    return unread + [_said(score.value) for score in scores.values() if isinstance(score.value, Rejected)]


def _is_heard(proposed: Proposed) -> bool:
    """Return whether the model said anything, were it unreadable."""
    return not isinstance(proposed.action, Rejected) or bool(proposed.action.reply)


def _rank(node: SearchNode) -> tuple[bool, float, bool, int]:
    """Return the sort key of a node: scored ones and higher values first, then answers, then lower numbers."""
    return not node.is_scored, -node.state.value, not node.state.is_terminal, node.number


def _with_fates(
    new: Sequence[SearchNode], *, before: Sequence[SearchNode], beam: Sequence[SearchNode], expanded: Collection[int]
) -> tuple[SearchNode, ...]:
    """Return the nodes to report of a level: its new ones, and older ones that fell off the beam."""
    kept = {node.number: node for node in beam}
    pushed = [node for node in before if node.number not in expanded and node.number not in kept]
    return (*(replace(node, fate=Fate.PRUNED) for node in pushed), *(kept.get(node.number, node) for node in new))


def _best(candidates: Sequence[SearchNode], stopped_by: StopReason) -> SearchNode:
    is_free = stopped_by in UNHURRIED
    best = min(candidates, key=lambda node: (not (is_free or node.state.is_terminal), _rank(node)))
    return replace(best, fate=Fate.KEPT)


def _said(rejected: Rejected) -> str:
    return f'{rejected.reason} It was: "{rejected.reply}"' if rejected.reply else rejected.reason


def _detail(node: SearchNode) -> str:
    """Return in words what a step did, such as "looked at Maya"."""
    action = node.action
    if action is None:
        raise ValueError("a step in the running has an action")
    match action.kind:
        case ActionKind.EXPAND_ENTITY:
            return f"looked at {action.arguments[0]}"
        case ActionKind.FIND_PATH:
            return f"found a path {action.arguments[0]} – {action.arguments[1]}"
        case ActionKind.THINK:
            return "thought it over"
        case ActionKind.ANSWER:
            return "drafted an answer"
