"""Labels of references: from two forms of an utterance, and from the public sets as they were published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.adapters.learning.reference_reader import (
    LabelledReference,
    labelled,
    read_canard,
    read_cast,
    read_gap,
    read_gecor,
    read_own,
    read_references,
)
from memory.core.errors import TrainingRefused

PAIRS = (
    (
        ["My sister Maya moved to Lisbon."],
        "Where does she work?",
        "Where does Maya work?",
        [("she", "Maya", False, "")],
    ),
    (["My sister Maya moved."], "What is her job?", "What is Maya's job?", [("her", "Maya", True, "")]),
    (["I went to Oslo."], "How is the weather?", "How is the weather in Oslo?", [("", "Oslo", False, "in")]),
    (["I went to Oslo."], "How was it there?", "How was it at home?", [("there", None, False, "")]),
    (["I went to Oslo."], "How was it?", "How was it?", []),
)


@pytest.mark.parametrize(("before", "said", "full", "expected"), PAIRS)
def test_what_came_in_is_looked_for_in_what_was_said(before, said, full, expected):
    one = labelled(before, said, [full], source="own", group="1")
    earlier = "\n".join(before)

    def told(reference: LabelledReference) -> tuple[str, str | None, bool, str]:
        meant = reference.meant
        words = None if meant is None else earlier[meant.start : meant.end]
        return said[reference.span.start : reference.span.end], words, reference.is_owner, reference.link

    assert [told(reference) for reference in one.references] == expected


def test_public_sets_are_read_as_they_were_published(tmp_path: Path):
    user = {
        "transcript": "is it cheap",
        "transcript_complete": "is the golden wok cheap",
        "transcript_with_ellipsis": "cheap",
        "transcript_with_coreference": "N/A",
    }
    dialogue = {"dial": [{"usr": user, "sys": {"sent": "The golden wok is cheap."}}]}
    (tmp_path / "CamRest676_annotated.json").write_text(json.dumps([dialogue]))
    assert [one.utterance.text for one in read_gecor(tmp_path)] == ["is it cheap", "cheap"]

    row = {"History": ["Ana Silva"], "Question": "Is she old?", "Rewrite": "Is Ana Silva old?", "QuAC_dialog_id": "1"}
    (tmp_path / "dev.json").write_text(json.dumps([row]))
    [canard] = read_canard(tmp_path)
    assert canard.references[0].meant is not None and canard.group == "1"

    names = ("Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "Text", "ID")
    text = "Ana met Eva. Then she left."
    values = ("she", "18", "Ana", "0", "TRUE", "Eva", "8", "FALSE", text, "g-1")
    for part in ("development", "test", "validation"):
        lines = ["\t".join(names), *(["\t".join(values)] if part == "test" else [])]
        (tmp_path / f"gap-{part}.tsv").write_text("\n".join(lines) + "\n")
    [gap] = read_gap(tmp_path)
    assert gap.utterance.text == "Then she left." and gap.utterance.before == ("Ana met Eva.",)

    topics = {
        "2020/2020_manual_evaluation_topics_v1.0.json": ("raw_utterance", "passage"),
        "2021/2021_manual_evaluation_topics_v1.0.json": ("raw_utterance", "passage"),
        "2022/2022_evaluation_topics_flattened_duplicated_v1.0.json": ("utterance", "response"),
    }
    for name, (said, answered) in topics.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        turns = [
            {said: "Who was Ada?", answered: "A countess.", "manual_rewritten_utterance": "Who was Ada?"},
            {said: "When was she born?", "manual_rewritten_utterance": "When was Ada born?"},
        ]
        (tmp_path / name).write_text(json.dumps([{"number": 1, "turn": turns}]))
    cast = list(read_cast(tmp_path))
    assert len(cast) == 6 and cast[1].utterance.before == ("Who was Ada?", "A countess.")


def test_bad_line_and_missing_set_are_named(tmp_path: Path):
    file = tmp_path / "references_a.jsonl"
    file.write_text('{"history": [], "utterance": "Hi", "rewrites": []}\n')
    with pytest.raises(TrainingRefused, match=r"line 1 .*it has no rewrite"):
        list(read_own(file))
    file.write_text('{"history": [], "utterance": "Hi", "rewrites": ["Hi"]}\n')
    with pytest.raises(TrainingRefused, match="gap is not the set"):
        read_references(tmp_path, public=tmp_path)
