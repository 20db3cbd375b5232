"""Puts a search state into prompts: its facts with the words that they rest on, its trajectory and the dialogue before it.

Lines are plain text without marks; a template fences what people said (`fenced`). The caller renders triples, because the
words for predicates belong to another room.
"""

from collections.abc import Callable, Sequence

from memory.core.english.telling_times import say_day
from memory.core.reasoning_tree.types import Action, ActionKind, InVain
from memory.core.types import SourceSentence, Triple, Utterance

# A longer utterance is cut: it goes into every prompt of a level, and what it told is in memory.
UTTERANCE_LIMIT = 600
UTTERANCES = 6
SENTENCE_LIMIT = 400
TripleRenderer = Callable[[Triple], str]


def action_name(kind: ActionKind) -> str:
    """Return the name of an action as prompts and replies write it ("EXPAND ENTITY")."""
    return kind.value.replace("_", " ").upper()


def action_line(action: Action) -> str:
    """Return an action on one line, as in "FIND PATH [Maya] [Airbus]" or "THINK: Maya is the sister."."""
    name = action_name(action.kind)
    if action.arguments:
        return " ".join([name, *(f"[{argument}]" for argument in action.arguments)])
    return f"{name}: {on_one_line(action.text)}"


def fact_lines(triples: Sequence[Triple], render: TripleRenderer, *, asker: str) -> str:
    """Return the triples one a line, in their order, each followed by its sentence where that was not shown yet."""
    lines: dict[int, str] = {}
    shown: set[int] = set()
    for triple in triples:
        lines[triple.id] = f"- {on_one_line(render(triple))}"
        if triple.source.id not in shown:
            lines[triple.id] += f"\n  {said_line(triple.source, asker=asker)}"
            shown.add(triple.source.id)
    return "\n".join(lines.values())


def said_lines(sentences: Sequence[SourceSentence], *, asker: str, facts: Sequence[Triple] = ()) -> str:
    """Return the sentences one a line, each once, without those that are shown with the facts."""
    shown = {triple.source.id for triple in facts}
    left = {one.id: one for one in sentences if one.id not in shown}
    return "\n".join(f"- {said_line(one, asker=asker)}" for one in left.values())


def said_line(sentence: SourceSentence, *, asker: str) -> str:
    """Return a sentence with who said it, "you" for the asker, and when."""
    who = "you" if sentence.speaker == asker else on_one_line(sentence.speaker)
    return f'{who} said on {say_day(sentence.said_at)}: "{cut(on_one_line(sentence.text), SENTENCE_LIMIT)}"'


def trajectory_lines(trajectory: Sequence[Action]) -> str:
    """Return the steps taken, numbered, one a line."""
    return "\n".join(f"{number}. {action_line(action)}" for number, action in enumerate(trajectory, start=1))


def in_vain_lines(in_vain: Sequence[InVain]) -> str:
    """Return the steps that brought nothing, one a line, each with the reason."""
    return "\n".join(f"- {action_line(one.action)}: {on_one_line(one.reason)}" for one in in_vain)


def history_lines(history: Sequence[Utterance], *, longest: int = UTTERANCE_LIMIT) -> str:
    """Return the last utterances of a dialogue, oldest first, one a line, each cut to the longest."""
    recent = history[-UTTERANCES:]
    return "\n".join(f"{one.speaker} ({one.role}): {cut(on_one_line(one.text), longest)}" for one in recent)


def cut(text: str, limit: int) -> str:
    return f"{text[:limit]}…" if len(text) > limit else text


def on_one_line(text: str) -> str:
    return " ".join(text.split())
