"""A semantic state in words: for the prompt of a reply, and for a reply by rule."""

from collections.abc import Iterable, Sequence

from memory.core.knowledge_graph.verbalisation import finished, joined
from memory.core.semantic_state.elements import (
    Assumption,
    Constraint,
    Element,
    ElementKind,
    SemanticState,
    Status,
    StatusChange,
    Unknown,
)
from memory.core.semantic_state.keeping import StateUpdate, goes_without_saying

_HEADS = {
    ElementKind.FACT: "Known",
    ElementKind.UNKNOWN: "Not known yet",
    ElementKind.ASSUMPTION: "Only assumed",
    ElementKind.CONSTRAINT: "Required",
}


def state_lines(state: SemanticState) -> str:
    """Return what counts of a state, a heading a kind and an element a line."""
    parts = []
    for kind, head in _HEADS.items():
        current = spoken(state.current(kind))
        parts += [f"{head}:", *(f"- {element_line(one)}" for one in current)] if current else []
    return "\n".join(parts)


def spoken(elements: Iterable[Element]) -> list[Element]:
    """Return the elements without assumptions that a fact among them tells already."""
    return [
        one
        for one in elements
        if not isinstance(one, Assumption) or not goes_without_saying(answers=one.answers, confidence=one.confidence)
    ]


def element_line(element: Element) -> str:
    match element:
        case Assumption():
            return f"{element.description} ({element.confidence:.0%} sure)"
        case Constraint(status=Status.VIOLATED):
            return f"{element.description} (cannot be kept as things stand)"
        case Constraint() if element.weight < 1:
            return f"{element.description} (a wish)"
    return element.description


def fallen(update: StateUpdate) -> list[StatusChange]:
    """Return how elements ceased to count by the message, but for questions that were answered."""
    elements = update.state.elements
    return [
        change
        for change in update.changes
        if change.before is not None
        and change.after in (Status.CLOSED, Status.CONTRADICTED)
        and not isinstance(elements[change.element], Unknown)
        and spoken([elements[change.element]])
    ]


def fallen_lines(update: StateUpdate) -> list[str]:
    return [
        f"{bare(update.state.elements[one.element].description)} ({lowered(bare(one.because))})"
        for one in fallen(update)
    ]


def question_about(element: Element) -> str:
    """Return the question that a plan to verify an element asks."""
    match element:
        case Unknown():
            return element.question
        case Assumption(status=Status.CONTRADICTED):
            return (
                f"I had taken it that {lowered(bare(element.description))}, which no longer holds. What is so instead?"
            )
        case Assumption():
            return f"I take it that {lowered(bare(element.description))}. Is that right?"
    return f"“{bare(element.description)}” cannot be kept as things stand. What may give way?"


def what_changed(update: StateUpdate) -> str:
    """Return in sentences what a message changed: what is noted, what is to be kept to, what holds no longer and why."""
    elements = update.state.elements
    new = spoken(
        elements[one.element] for one in update.changes if one.before is None and elements[one.element].is_current
    )
    said = [
        told("Noted", (one for one in new if one.kind is ElementKind.FACT)),
        told("I keep to this", (one for one in new if one.kind is ElementKind.CONSTRAINT)),
        taken([one for one in new if one.kind is ElementKind.ASSUMPTION]),
        listed("No longer so", fallen_lines(update)),
    ]
    return " ".join(filter(None, said))


def what_holds(state: SemanticState) -> str:
    """Return in sentences what a reply rests on: what is known and required, and, as such, what is assumed."""
    return " ".join(
        filter(
            None,
            [
                told("What I know", state.current(ElementKind.FACT)),
                told("What must hold", state.current(ElementKind.CONSTRAINT)),
                taken(spoken(state.current(ElementKind.ASSUMPTION))),
            ],
        )
    )


def told(head: str, elements: Iterable[Element]) -> str:
    return listed(head, [bare(one.description) for one in elements])


def taken(assumptions: Sequence[Element]) -> str:
    return f"I take it that {joined([lowered(bare(one.description)) for one in assumptions])}." if assumptions else ""


def listed(head: str, lines: Sequence[str]) -> str:
    return finished(f"{head}: {'; '.join(lines)}") if lines else ""


def bare(text: str) -> str:
    return text.strip().rstrip(".")


def lowered(text: str) -> str:
    """Return the text with a small first letter, but for "I" and for names and abbreviations."""
    first, _, _ = text.partition(" ")
    return text if first[1:] != first[1:].lower() or len(first) == 1 else text[:1].lower() + text[1:]
