"""Titles are short phrases of what is said, by the shipped parser or a model, and garbage is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import memory
from memory.adapters.parser.spacy_parser import SpacyParser
from memory.adapters.segmenter import SyntokSegmenter
from memory.core.english.trees import Tree
from memory.core.errors import UnparsableReply
from memory.core.titles.phrase import PhraseTitleWriter, phrases
from memory.core.titles.ports import fitted
from memory.core.titles.prompted import PromptedTitleWriter
from memory.core.types import Completion, Prompt, SamplingConfig

WEIGHTS = Path(memory.__file__).parent / "pretrained" / "parser"


@pytest.fixture(scope="module")
def parser() -> SpacyParser:
    return SpacyParser(WEIGHTS)


class NearestTo:
    """An `Embedder` to which only one phrase means the same as the whole."""

    name, dimension = "nearest", 2

    def __init__(self, phrase: str, *, nearness: float = 1.0) -> None:
        self.phrase, self.nearness = phrase, nearness

    def embed(self, texts: Any) -> Any:
        far = [0.0, 1.0]
        near = [self.nearness, np.sqrt(1 - self.nearness**2)]
        return np.array([[1.0, 0.0], *(near if text == self.phrase else far for text in texts[1:])], np.float32)


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("My in-laws are coming for dinner on Friday.", "in-laws coming for dinner on Friday"),
        ("I need to buy a leaving present for Henrik.", "buying a leaving present for Henrik"),
        ("I visited the Science Museum.", "visiting the Science Museum"),
        ("Trip to Krakow with my brothers.", "Trip to Krakow"),
    ],
)
def test_phrases_are_nouns_and_what_is_done_with_what_is_attached(
    parser: SpacyParser, sentence: str, wanted: str
) -> None:
    [parsed] = parser.parse_many([sentence])
    assert wanted in {" ".join(words) for words in phrases(Tree(parsed))}


@pytest.mark.parametrize(
    "sentence", ["She is called Mocha.", 'Say "we share a dream" again.', "Hi!", "???", "What is it?"]
)
def test_phrases_are_neither_passives_nor_torn_out_of_quotes(parser: SpacyParser, sentence: str) -> None:
    [parsed] = parser.parse_many([sentence])
    found = {" ".join(words) for words in phrases(Tree(parsed))}
    assert not any(one.startswith("calling") or '"' in one for one in found)


def test_title_is_the_phrase_nearest_to_what_is_said(parser: SpacyParser) -> None:
    def title(embedder: NearestTo) -> str:
        writer = PhraseTitleWriter(parser=parser, embedder=embedder, segmenter=SyntokSegmenter())
        return writer.title_many([["Hello! I fly to Oslo in June.", "My brother has a boat."]])[0]

    assert title(NearestTo("brother having a boat")) == "Brother having a boat"
    assert title(NearestTo("flying to Oslo")) == "Flying to Oslo"
    assert title(NearestTo("flying to Oslo", nearness=0.2)) == "", "nothing is near enough"


def test_title_of_what_names_nothing_is_none(parser: SpacyParser) -> None:
    writer = PhraseTitleWriter(parser=parser, embedder=NearestTo(""), segmenter=SyntokSegmenter())
    assert writer.title_many([["hi"], ["🙂"], [""], []]) == ["", "", "", ""]


@pytest.mark.parametrize(
    ("phrase", "title"),
    [
        ('  "trip to\n Krakow." ', "Trip to Krakow"),
        ("**Dinner**", "Dinner"),
        ("a" * 61, ""),
        ("…", ""),
        ("", ""),
        ("nul \x00 and half \ud800", "Nul and half"),
    ],
)
def test_title_is_one_short_line_or_none(phrase: str, title: str) -> None:
    assert fitted(phrase) == title


class Says:
    """A `LanguageModel` with the same reply to everything."""

    name = "says"

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.asked: list[Prompt] = []

    def complete_many(self, prompts: list[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.asked += prompts
        return [Completion(self.reply) for _ in prompts]


def test_model_is_shown_the_messages_and_its_title_is_fitted() -> None:
    model = Says(json.dumps({"title": "“Speech for the wedding.”"}))
    assert PromptedTitleWriter(model).title_many([["My sister marries.", "x" * 5000]]) == ["Speech for the wedding"]
    said = model.asked[0].messages[-1].content
    assert "My sister marries.\n" in said and "x" * 1000 in said and "x" * 1001 not in said


@pytest.mark.parametrize(
    "title", ["", "A sentence that goes on and on and explains at length what it would call this talk."]
)
def test_what_a_model_says_at_length_or_not_at_all_is_no_title(title: str) -> None:
    assert PromptedTitleWriter(Says(json.dumps({"title": title}))).title_many([["hi"]]) == [""]


@pytest.mark.parametrize("reply", ["Sure! I would call it Dinner.", '{"title": ["Dinner"]}', '{"name": "Dinner"}', ""])
def test_reply_that_is_no_title_is_told(reply: str) -> None:
    with pytest.raises(UnparsableReply):
        PromptedTitleWriter(Says(reply)).title_many([["hi"]])
