"""Questions on single turns: judged by people, or composed of frames and labelled messages."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from memory.adapters.learning.composed import Composer, read_judged
from memory.adapters.learning.frames import Frame, Message, read_frames, read_idle, read_told
from memory.core.errors import TrainingRefused

IDLE = ["good morning", "thanks a lot", "so it goes"]


def written(folder: Path, name: str, *rows: object) -> Path:
    (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


def judgement(question: str, *candidates: tuple[str, str]) -> dict[str, Any]:
    turn = {"speaker": "user", "said": "2025-05-03", "before": "where to?", "text": "i live in paris, not in rome"}
    return {"q": question, "turn": turn, "c": [{"a": words, "v": verdict} for words, verdict in candidates]}


def test_judged_turn_answers_with_the_words_that_hold_or_decide_and_else_with_nothing(tmp_path: Path) -> None:
    rows = [
        judgement("where do i live", ("rome", "denied"), ("paris", "holds")),
        judgement("do i live in rome", ("not in rome", "no")),
        judgement("is maya here", ("paris", "other_person")),
    ]
    found = read_judged(written(tmp_path, "judgements_a", *rows), IDLE, chance=random.Random(0))
    assert [(one.words, one.verdict) for one in found] == [("paris", ""), ("not in rome", "no"), ("", "")]
    for one in found:
        texts = [turn.text for turn in one.asked.turns]
        assert "i live in paris, not in rome" in texts
        assert 1 <= len(set(texts) & set(IDLE)) == len(texts) - 1
        assert not one.is_held_out
    told = next(turn for turn in found[0].asked.turns if turn.before)
    assert (told.before, told.before_speaker) == ("where to?", "assistant")


def test_bad_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingRefused, match=r"judgements_a.jsonl, line 1 is no judged turn: it has no 'c'"):
        read_judged(
            written(tmp_path, "judgements_a", {"q": "where", "turn": {"speaker": "user", "text": "so"}}),
            IDLE,
            chance=random.Random(0),
        )


def test_messages_are_those_that_tell_something_and_those_that_do_not(tmp_path: Path) -> None:
    fact = ["me", "livesIn", "paris", ""]
    rows = [{"s": "i live in paris", "p": "", "f": [fact]}, {"s": "thanks", "f": []}, {"src": "a/b/0", "f": [fact]}]
    written(tmp_path, "messages_a", *rows)
    assert read_told(tmp_path) == [Message("i live in paris", "", (("me", "livesIn", "paris", ""),))]
    assert read_idle(tmp_path) == ["thanks"]


WHERE = {"predicate": "livesIn", "subject": "me", "want": "place", "time": "now", "form": "wh", "q": "where do i live"}
WHETHER = WHERE | {"want": "yes-no", "form": "yes-no", "q": "do i live in {V}"}
OF_HER = WHETHER | {"subject": "X", "q": "does {X} live in {V}"}


@pytest.fixture
def frames(tmp_path: Path) -> list[Frame]:
    return read_frames(written(tmp_path, "frames_a", WHERE, WHETHER, OF_HER))


def composed(frames: list[Frame], *facts: tuple[str, str, str, str]) -> set[tuple[str, str, str]]:
    """Return all that is composed on a message beside one that gives other values and names."""
    others = Message("Bo lives in Rome", "", (("Bo", "livesIn", "Rome", ""),))
    message = Message("i live in paris", "", facts)
    composer, chance = Composer([message, others], frames), random.Random(0)
    made = [composer.question(message, chance) for _ in range(300)]
    return {(one.asked.question, one.words, one.verdict) for one in made if one is not None}


@pytest.mark.parametrize(
    ("flags", "answer"),
    [("", ("paris", "yes")), ("neg", ("paris", "no")), ("past", ("paris", "no")), ("rep", ("", "")), ("fut", ("", ""))],
)
def test_flags_of_a_fact_decide_what_it_answers(frames: list[Frame], flags: str, answer: tuple[str, str]) -> None:
    assert ("do i live in paris", *answer) in composed(frames, ("me", "livesIn", "paris", flags))


def test_composed_questions_are_of_the_fact_of_another_or_of_another_value(frames: list[Frame]) -> None:
    assert composed(frames, ("me", "livesIn", "paris", "")) == {
        ("where do i live", "paris", ""),
        ("do i live in paris", "paris", "yes"),
        ("do i live in Rome", "paris", "no"),
        ("does Bo live in paris", "", ""),
    }


def test_a_share_of_the_messages_is_asked_about_among_others_that_tell_nothing_of_it(frames: list[Frame]) -> None:
    messages = [Message(f"i live in house {n}", "", (("me", "livesIn", f"house {n}", ""),)) for n in range(40)]
    messages += [Message(f"the cat {n} sleeps", "", (("the cat", "other:sleep", "here", ""),)) for n in range(40)]
    found = list(Composer(messages, frames).questions(share=0.5, chance=random.Random(0)))
    assert 0 < len(found) < 40
    assert all(sum("house" in turn.text for turn in one.asked.turns) == 1 for one in found)
