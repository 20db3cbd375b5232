"""Every reason for which revision refuses evidence, in the sentence that people read; what stands beside it is applied."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.core.semantic_state.elements import EMPTY_STATE, SemanticState, Source, Status
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evaluated,
    Evidence,
    Irrelevant,
    Missed,
    Required,
    Resolved,
    Ungrounded,
    Withdrawn,
)
from memory.core.semantic_state.revision import revise

# f1, u2, a3, c4, and the closed f5.
KNOWN: Sequence[Evidence] = (
    Asserted(description="Eight guests come", words="we are eight"),
    Missed(description="the day", question="On which day is it?", words=""),
    Assumed(description="They eat at home", words="", confidence=0.6),
    Required(description="No nuts", words="nothing with nuts"),
    Asserted(description="Ana cooks", words="Ana cooks"),
)
BESIDE = Asserted(description="There is a garden", words="we have a garden")


def known() -> SemanticState:
    state = revise(EMPTY_STATE, KNOWN, turn=1)
    return revise(state, [Withdrawn(element="f5", words="Ana does not cook after all")], turn=2)


REFUSED: Sequence[tuple[Evidence, str]] = (
    (
        Asserted(description="It rains", words=""),
        "A fact is what the user said, and there are no words of theirs for it.",
    ),
    (
        Asserted(description="They eat at home", words="sure, whatever"),
        "It was only assumed, and the user did not say it: an assumption never becomes a fact.",
    ),
    (Asserted(description=" ", words="hm"), "It says nothing."),
    (Asserted(description="Bo comes", words="Bo comes", ref="f1"), "Another element has the name f1."),
    (Missed(description="the hour", question="", words=""), "An unknown needs a question that asks for it."),
    (
        Missed(description="the hour", question="At what time?", words="", priority=-1.0),
        "A priority is positive, and -1.0 is not.",
    ),
    (Resolved(unknown="f1", by="a3", words="at home"), "f1 is no unknown, so nothing answers it."),
    (Resolved(unknown="u2", by="u2", words="the day"), "u2 is open itself, and answers nothing."),
    (
        Resolved(unknown="u2", by="f1", words="we are eight", confidence=3),
        "A confidence is between 0 and 1, and 3 is not.",
    ),
    (
        Assumed(description="It is warm", words="", confidence=3),
        "A confidence is between 0 and 1, and 3 is not.",
    ),
    (
        Assumed(description="Six guests come", words="", confidence=0.5, against=("f1",)),
        "An assumption that cannot hold beside what is known is not valid.",
    ),
    (
        Required(description="No fish", words=""),
        "A requirement is what the user said, and there are no words of theirs for it.",
    ),
    (Required(description="No fish", words="no fish", weight=0), "A weight is above 0, and 0 is not."),
    (Required(description="No fish", words="no fish", weight=2), "A weight is between 0 and 1, and 2 is not."),
    (
        Evaluated(constraint="f1", status=Status.VIOLATED, because="It is.", words=""),
        "f1 is no constraint, so it is not evaluated.",
    ),
    (
        Evaluated(constraint="c4", status=Status.OPEN, because="It is.", words=""),
        "A constraint that was checked is not open.",
    ),
    (
        Evaluated(constraint="c4", status=Status.SATISFIED, because="It is.", words="", against=("f1",)),
        "It cannot be satisfied beside f1.",
    ),
    (
        Asserted(description="It is on Friday", words="on Friday", replaces=("u2",)),
        "u2 is an open question: it is answered or withdrawn, not replaced.",
    ),
    (
        Asserted(description="It is on Friday", words="on Friday", against=("u2",)),
        "A new fact has no say against u2, which is an unknown.",
    ),
    (
        Asserted(description="Nine guests come", words="we are nine", replaces=("f1",), basis=("f1",)),
        "It would rest on f1, which no longer holds because of it.",
    ),
    (
        Asserted(description="It is on Friday", words="on Friday", basis=("u2",)),
        "It would rest on u2, which is open.",
    ),
    (Withdrawn(element="f99", words="no"), "There is no element f99."),
    (Withdrawn(element="f5", words="no"), "f5 does not count any more: it is closed."),
    (Withdrawn(element="f1", words=""), "f1 is the user's, and no words of theirs end it."),
    (Irrelevant(element="c4", words=" "), "c4 is the user's, and no words of theirs end it."),
    (Ungrounded(proposed="Ask for the hour.", because="Nobody said it."), "Nobody said it."),
)


@pytest.mark.parametrize(("said", "because"), REFUSED, ids=[because for _, because in REFUSED])
def test_refused_with_its_reason_and_what_stands_beside_it_is_applied(said: Evidence, because: str) -> None:
    before = known()
    assert not before.refused
    after = revise(before, [said, BESIDE], turn=3)
    assert [(one.turn, one.because) for one in after.refused] == [(3, because)]
    assert after.refused[0].proposed
    added = [one.description for key, one in after.elements.items() if key not in before.elements]
    assert added == [BESIDE.description]
    assert all(after.elements[key] is one for key, one in before.elements.items()), "nothing else changed"


def test_a_tool_needs_no_words_of_the_user() -> None:
    tool = Asserted(description="It rains on Friday", words="", source=Source.TOOL)
    assert not revise(known(), [tool], turn=3).refused
