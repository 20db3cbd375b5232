"""Facts from what the message reader finds: whom and what the words mean, how they are put, when they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor, Unread
from memory.core.knowledge_graph.extraction.learned.subjects import SubjectReader
from memory.core.knowledge_graph.extraction.people import Focus, Person, person_of
from memory.core.knowledge_graph.replacement import is_open
from memory.core.types import (
    Fact,
    FactFlag,
    MessageInContext,
    Modality,
    Node,
    Polarity,
    ReadFact,
    Role,
    Span,
    Tense,
    Utterance,
    WordSpan,
)
from tests.fakes.language import real_parser

SAID = datetime(2024, 5, 18, 12, 0, tzinfo=UTC)
Found = tuple[str | None, str, str, str]


@dataclass
class WrittenReader:
    """A message reader that finds what the test wrote: (subject, predicate, object, flags) by the words of the message."""

    found: Sequence[Found]
    name: str = "written"
    threshold: float = 0.5
    seen: tuple[MessageInContext, ...] = ()

    def read_many(
        self, messages: Sequence[MessageInContext], *, least: float | None = None
    ) -> list[tuple[ReadFact, ...]]:
        self.seen += tuple(messages)
        return [tuple(self._read(message, fact) for fact in self.found) for message in messages]

    def _read(self, message: MessageInContext, fact: Found) -> ReadFact:
        subject, predicate, value, flags = fact
        return ReadFact(
            subject=None if subject is None else words_in(message, subject),
            predicate=predicate,
            object=words_in(message, value),
            flags=frozenset(FactFlag(flag) for flag in flags.split()),
            probability=0.8,
        )


def words_in(message: MessageInContext, words: str) -> WordSpan:
    start = message.text.find(words)
    if start >= 0:
        return WordSpan(words, Span(start, start + len(words)))
    start = message.before.index(words)
    return WordSpan(words, Span(start, start + len(words)), is_before=True)


def said(text: str, *, speaker: str = "Ana", role: Role = Role.USER, breaks: int = 0) -> Utterance:
    at = SAID if speaker == "Ana" else SAID.replace(hour=11)
    return Utterance(speaker, role, text, at, breaks)


def built(reader: WrittenReader) -> LearnedExtractor:
    return LearnedExtractor(reader=reader, parser=real_parser())


def extracted(found: Sequence[Found], *sentences: str, context: Sequence[Utterance] = ()) -> list[list[Fact]]:
    extractor = built(WrittenReader(found))
    fragments = extractor.extract_many([said(sentence) for sentence in sentences], context=context)
    return [list(fragment.facts) for fragment in fragments]


def told(fact: Fact) -> tuple[str, str, str]:
    return fact.subject.label, fact.predicate, fact.object.label


@pytest.mark.parametrize(
    ("text", "found", "facts"),
    [
        (
            "Third city in three years: now it's Kisumu.",
            [(None, "livesIn", "Kisumu", "")],
            [("Ana", "livesIn", "Kisumu")],
        ),
        (
            "My sister is a nurse at the Royal.",
            [("My sister", "worksAs", "nurse", ""), ("My sister", "worksFor", "the Royal", "")],
            [
                ("Ana", "hasSister", "Ana's sister"),
                ("Ana's sister", "worksAs", "nurse"),
                ("Ana's sister", "worksFor", "Royal"),
            ],
        ),
        ("Maya loves her new job.", [("Maya", "likes", "her new job", "")], [("Maya", "likes", "new job")]),
        (
            "my brother Tom moved, he lives in Graz now",
            [(None, "hasBrother", "Tom", ""), ("he", "livesIn", "Graz", "")],
            [("Ana", "hasBrother", "Tom"), ("Tom", "livesIn", "Graz")],
        ),
        ("We have two kids.", [(None, "hasChild", "two", "")], [("Ana", "hasNumberOfChildren", "2")]),
        ("Our old dog Rex sleeps all day.", [(None, "hasPet", "Rex", "")], [("Ana", "hasDog", "Rex")]),
        ("My favourite colour is teal.", [(None, "hasFavorite", "teal", "")], [("Ana", "hasFavoriteColor", "teal")]),
        ("I volunteer at a shelter.", [(None, "other", "shelter", "")], [("Ana", "volunteersAt", "shelter")]),
        ("I signed up for pottery.", [(None, "other", "pottery", "")], [("Ana", "signUpFor", "pottery")]),
        (
            "Frode's mother hates jazz.",
            [("Frode's mother", "dislikes", "jazz", "")],
            [("Frode", "hasMother", "Frode's mother"), ("Frode's mother", "dislikes", "jazz")],
        ),
        (
            "My sister's boss lives in Kiel.",
            [("My sister's boss", "livesIn", "Kiel", "")],
            [
                ("Ana's sister", "hasBoss", "Ana's sister's boss"),
                ("Ana", "hasSister", "Ana's sister"),
                ("Ana's sister's boss", "livesIn", "Kiel"),
            ],
        ),
        ("lol nobody", [], []),
    ],
)
def test_words_become_facts(text: str, found: list[Found], facts: list[tuple[str, str, str]]) -> None:
    assert [told(fact) for fact in extracted(found, text)[0]] == facts


@pytest.mark.parametrize(
    ("flags", "put"),
    [
        ("", (Polarity.POSITIVE, Modality.ASSERTED, Tense.PRESENT)),
        ("neg", (Polarity.NEGATIVE, Modality.ASSERTED, Tense.PRESENT)),
        ("fut", (Polarity.POSITIVE, Modality.ASSERTED, Tense.FUTURE)),
        ("hyp", (Polarity.POSITIVE, Modality.HYPOTHETICAL, Tense.PRESENT)),
        ("ask", (Polarity.POSITIVE, Modality.ASKED, Tense.PRESENT)),
        ("rep neg", (Polarity.NEGATIVE, Modality.REPORTED, Tense.PRESENT)),
        ("fix", (Polarity.POSITIVE, Modality.ASSERTED, Tense.PRESENT)),
    ],
)
def test_flags_say_how_it_is_put(flags: str, put: tuple[Polarity, Modality, Tense]) -> None:
    [fact] = extracted([(None, "livesIn", "Rome", flags)], "Something about Rome.")[0]
    assert (fact.polarity, fact.modality, fact.tense) == put
    assert (fact.confidence, fact.attributed_to) == (0.8, "somebody" if "rep" in flags else "")


def test_what_is_over_was_so_and_ends_what_was_told() -> None:
    was, ends = extracted([(None, "livesIn", "Rome", "past")], "Something about Rome.")[0]
    assert (told(was), was.polarity, was.tense) == (("Ana", "livesIn", "Rome"), Polarity.POSITIVE, Tense.PAST)
    assert (ends.polarity, ends.tense, ends.object) == (Polarity.NEGATIVE, Tense.PRESENT, was.object)
    assert is_open(ends), "nothing ends that nobody told"


def test_what_is_gone_ends_having_it_under_every_word() -> None:
    owned, anyhow = extracted([(None, "gotRidOf", "the Panda", "")], "Sold the Panda!")[0]
    assert (told(owned), owned.polarity) == (("Ana", "owns", "Panda"), Polarity.NEGATIVE)
    assert (anyhow.predicate, anyhow.polarity) == ("owns|drives|rides|uses|collects|hasPet", Polarity.NEGATIVE)


def test_date_of_the_sentence_begins_the_state() -> None:
    [fact] = extracted([(None, "livesIn", "Braga", "")], "I've lived in Braga since 2019.")[0]
    assert (fact.valid_from, fact.valid_to) == (datetime(2019, 1, 1, tzinfo=UTC), None)


def test_sentences_of_a_turn_are_read_as_one_and_facts_go_back_to_theirs() -> None:
    found: list[Found] = [(None, "livesIn", "Braga", ""), (None, "hasPet", "Miso", "")]
    first, second = extracted(found, "We moved to Braga.", "The cat, Miso, hates it.")
    assert [told(fact) for fact in first] == [("Ana", "livesIn", "Braga")]
    assert [told(fact) for fact in second] == [("Ana", "hasCat", "Miso")]
    assert second[0].span == Span(9, 13)


def test_value_of_the_question_before_belongs_to_the_answer() -> None:
    question = said("Do you still live in Rome?", speaker="Assistant", role=Role.ASSISTANT)
    [facts] = extracted([(None, "livesIn", "Rome", "")], "yes", context=[question])
    assert [(told(fact), fact.span) for fact in facts] == [(("Ana", "livesIn", "Rome"), Span(0, 3))]


def test_reader_is_shown_what_the_other_said_before() -> None:
    reader = WrittenReader([])
    extractor = built(reader)
    context = [
        said("Hi.", speaker="Bo", role=Role.ASSISTANT),
        said("Any pets?", speaker="Bo", role=Role.ASSISTANT),
    ]
    extractor.extract_many([said("a cat"), said("called Miso", breaks=1)], context=context)
    assert reader.seen == (MessageInContext("a cat\ncalled Miso", "Any pets?"),)


def test_what_the_assistant_said_and_what_is_pasted_are_not_read() -> None:
    reader = WrittenReader([])
    extractor = built(reader)
    letter = [said("Summarize this e-mail:"), said("Dear Mr. Lee,", breaks=2), said("I live in Oslo.", breaks=2)]
    fragments = extractor.extract_many([said("I live in Oslo.", speaker="Bot", role=Role.ASSISTANT), *letter])
    assert [fragment.facts for fragment in fragments] == [(), (), (), ()]
    assert [message.text for message in reader.seen] == ["Summarize this e-mail:"]


def test_longer_message_takes_no_value_from_what_was_said_before() -> None:
    echo = said("So you live in Paris and work for Airbus?", speaker="Assistant", role=Role.ASSISTANT)
    found: list[Found] = [(None, "livesIn", "Lyon", ""), (None, "worksFor", "Airbus", "past")]
    [facts] = extracted(found, "Actually, I moved to Lyon last week.", context=[echo])
    assert [told(fact) for fact in facts] == [("Ana", "livesIn", "Lyon")]


def test_what_the_assistant_stated_is_not_shown_to_the_reader() -> None:
    reader = WrittenReader([])
    echo = said("Noted: your sister is Hina.", speaker="Assistant", role=Role.ASSISTANT)
    built(reader).extract_many([said("she moved to Lyon")], context=[echo])
    assert [message.before for message in reader.seen] == [""]


def test_reader_is_shown_what_its_speaker_said_before_where_nobody_asked() -> None:
    reader = WrittenReader([])
    earlier = replace(said("Pip is 7."), said_at=SAID.replace(hour=10))
    noted = said("Noted.", speaker="Assistant", role=Role.ASSISTANT)
    built(reader).extract_many([said("I meant 9.")], context=[earlier, noted])
    assert [message.before for message in reader.seen] == ["", "", "Pip is 7."]


@dataclass
class Rereading(WrittenReader):
    """A message reader that finds something else in a message that comes after another."""

    after: Sequence[Found] = ()

    def read_many(
        self, messages: Sequence[MessageInContext], *, least: float | None = None
    ) -> list[tuple[ReadFact, ...]]:
        found = [(self.after if one.before else self.found) if "Leila" in one.text else () for one in messages]
        return [tuple(self._read(one, fact) for fact in facts) for one, facts in zip(messages, found, strict=True)]


@pytest.mark.parametrize(
    ("alone", "after", "expected"),
    [
        (("Nadia", "hasFriend", "Leila", ""), ("Karim", "hasFriend", "Leila", ""), "Nadia"),
        (("her", "hasFriend", "Leila", ""), ("Nora", "hasFriend", "Leila", ""), "Nora"),
        ((None, "hasFriend", "Leila", ""), ("Karim", "hasFriend", "Leila", "fix"), "Karim"),
    ],
)
def test_what_a_message_says_by_itself_is_not_read_after_more(alone: Found, after: Found, expected: str) -> None:
    extractor = built(Rereading([alone], after=[after]))
    earlier = replace(said("Karim is married, so is Nora."), said_at=SAID.replace(hour=10))
    [fragment] = extractor.extract_many([said("Nadia's friend Leila, her best one.")], context=[earlier])
    assert {fact.subject.label for fact in fragment.facts} == {expected}


def test_what_is_pasted_or_asked_is_not_shown_to_the_reader() -> None:
    reader = WrittenReader([])
    earlier = [
        replace(said(text), said_at=SAID.replace(hour=10)) for text in ("Summarize this e-mail:", "Dear Mr. Lee,")
    ]
    asked = replace(said("Where do I live?"), said_at=SAID.replace(hour=11))
    built(reader).extract_many([said("Pip is 9.")], context=[*earlier, asked])
    assert {one.before for one in reader.seen if one.text == "Pip is 9."} == {""}


def test_a_name_may_be_of_a_place_or_a_firm() -> None:
    [[fact]] = extracted([("Riga", "locatedIn", "Latvia", "")], "Riga is in Latvia.")
    assert (told(fact), fact.subject.kind) == (("Riga", "locatedIn", "Latvia"), "")
    [[fact]] = extracted([("Ben", "hasSister", "Mia", "")], "Ben's sister is Mia.")
    assert fact.subject.kind == "Person"


def test_first_name_means_its_only_bearer() -> None:
    focus = Focus().with_person(Person(Node("Philippa Drew", "Person", pos="PROPN"), ""))
    assert focus.called("Philippa") == Node("Philippa Drew", "Person", pos="PROPN")
    assert focus.with_person(Person(Node("Philippa Lund", "Person", pos="PROPN"), "")).called("Philippa") is None


def test_short_question_takes_no_value_from_what_was_said_before() -> None:
    echo = said("So you live in Lyon now, no longer in Paris?", speaker="Assistant", role=Role.ASSISTANT)
    [facts] = extracted([(None, "livesIn", "Paris", "")], "Where do I live?", context=[echo])
    assert facts == []


def test_who_is_named_again_keeps_their_other_names_and_gender() -> None:
    maya = person_of("Ana", "sister", name="Maya")
    focus = Focus().with_person(maya).with_person(Person(Node("maya"), ""))
    assert focus.people == (maya,)
    assert focus.person("f") == focus.called("Ana's sister") == maya.node
    assert focus.person("m") is None


def test_whose_relative_is_told_by_the_speakers_own_name_is_the_speakers() -> None:
    [[fact]] = extracted([(None, "hasSister", "Mia", "")], "Ana's sister is called Mia.")
    assert told(fact) == ("Ana", "hasSister", "Mia")
    assert fact.subject.is_speaker


def test_a_speaker_who_speaks_of_themself_by_name_is_the_speaker() -> None:
    [[fact]] = extracted([("Ana", "livesIn", "Rome", "")], "Ana lives in Rome.")
    assert told(fact) == ("Ana", "livesIn", "Rome")
    assert fact.subject.is_speaker


def test_value_that_stands_twice_is_that_of_the_sentence_with_its_subject() -> None:
    found: list[Found] = [("Anselm", "owns", "Mirabel", "")]
    first, second, third = extracted(found, "I write at Mirabel.", "Anselm is kind.", "He owns Mirabel.")
    assert (first, second) == ([], [])
    assert [(told(fact), fact.span) for fact in third] == [(("Anselm", "owns", "Mirabel"), Span(8, 15))]


def test_friend_of_his_is_not_he() -> None:
    tom = Focus().with_person(Person(Node("Tom", "Person", pos="PROPN"), "m"))
    subjects = SubjectReader(Node("Ana", "Person", is_speaker=True), tom)
    assert (
        subjects.node_of("he", "he", 0) == subjects.node_of("Bo told me he", "Bo told me he", 0) == tom.people[0].node
    )
    friend = subjects.node_of("a friend of his", "a friend of his", 0)
    assert friend is None or friend.label != "Tom"


def test_without_a_reader_no_facts_are_read() -> None:
    [fragment] = Unread().extract_many([said("I live in Rome.")], context=[said("I own a cat.")])
    assert fragment.facts == ()


class Doubting(WrittenReader):
    """Is less sure of what is said with "think"."""

    def _read(self, message: MessageInContext, fact: Found) -> ReadFact:
        read = super()._read(message, fact)
        return replace(read, probability=0.48) if fact[2] in {"tea", "Lyon"} else read


def test_what_was_read_unsurely_is_unsure_and_puts_aside_nothing_that_is_sure() -> None:
    found = [(None, "likes", "tea", ""), (None, "plansTo", "swim", ""), (None, "livesIn", "Lyon", "hyp")]
    [fragment] = built(Doubting(found)).extract_many([said("I plan to swim, like tea, maybe live in Lyon.")])
    assert [(fact.object.label, fact.modality) for fact in fragment.facts] == [
        ("swim", Modality.ASSERTED),
        ("tea", Modality.UNSURE),
    ]
