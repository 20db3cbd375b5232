"""Chat sentences with graphs written by hand, as an AMR parser would give them, and the facts that they lift to."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.core.knowledge_graph.extraction.amr.extractor import AmrExtractor
from memory.core.types import Fact, Modality, Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import asserted, notation

# A Wednesday.
SAID_AT = datetime(2023, 5, 10, 15, 0, tzinfo=UTC)


class Written:
    """A `TextToAmr` whose graphs are written by hand."""

    def __init__(self, *graphs: str) -> None:
        self._graphs = list(graphs)
        self.parsed: list[str] = []

    def parse_many(self, sentences):
        self.parsed += sentences
        return [self._graphs.pop(0) for _ in sentences]


def read(text: str, graph: str) -> list[Fact]:
    extractor = AmrExtractor(text_to_amr=Written(graph))
    (fragment,) = extractor.extract_many([Utterance("Sam", Role.USER, text, SAID_AT)])
    return list(fragment.facts)


def city(name: str, variable: str = "c") -> str:
    return f'({variable} / city :name (n{variable} / name :op1 "{name}"))'


MAYA = '(p / person :name (np / name :op1 "Maya") :ARG0-of (h / have-rel-role-91 :ARG1 (i / i) :ARG2 (s / sister)))'
REX = '(d / dog :name (nd / name :op1 "Rex"))'

SENTENCES = [
    ("I live in Paris.", f"(l / live-01 :ARG0 (i / i) :location {city('Paris')})", "Sam livesIn Paris"),
    ("I moved to Lyon.", f"(m / move-01 :ARG0 (i / i) :ARG2 {city('Lyon')})", "Sam livesIn Lyon"),
    ("I moved from Paris to Lyon.", f"(m / move-01 :ARG1 (i / i) :source {city('Paris')} :destination {city('Lyon', 'y')})",
     "Sam livesIn Lyon; was Sam movedFrom Paris"),
    ("I used to live in Rome.", f"(l / live-01 :ARG0 (i / i) :location {city('Rome')} :time (p / past))",
     "was Sam livesIn Rome"),
    ("I lived in Rome.", f"(l / live-01 :ARG0 (i / i) :location {city('Rome')})", "was Sam livesIn Rome"),
    ("I've lived in Rome for years.", f"(l / live-01 :ARG0 (i / i) :location {city('Rome')})", "Sam livesIn Rome"),
    ("I don't live in Paris.", f"(l / live-01 :polarity - :ARG0 (i / i) :location {city('Paris')})",
     "not Sam livesIn Paris"),
    ("I will live in Oslo.", f"(l / live-01 :ARG0 (i / i) :location {city('Oslo')})", "will Sam livesIn Oslo"),
    ("I live with Tom.", '(l / live-01 :ARG0 (i / i) :accompanier (p / person :name (n / name :op1 "Tom")))',
     "Sam livesWith Tom"),
    ("I work for Airbus.", '(w / work-01 :ARG0 (i / i) :ARG2 (c / company :name (n / name :op1 "Airbus")))',
     "Sam worksFor Airbus"),
    ("I work as a nurse in a hospital.", "(w / work-01 :ARG0 (i / i) :ARG1 (n / nurse) :location (h / hospital))",
     "Sam worksAs nurse; Sam worksFor hospital"),
    ("I work in Bonn.", f"(w / work-01 :ARG0 (i / i) :location {city('Bonn')})", "Sam worksIn Bonn"),
    ("I don't work any more.", "(w / work-01 :polarity - :ARG0 (i / i) :time (a / any-more))", "not Sam worksFor anything"),
    ("I stopped working for Airbus.",
     '(s / stop-01 :ARG0 (i / i) :ARG1 (w / work-01 :ARG0 i :ARG2 (c / company :name (n / name :op1 "Airbus"))))',
     "not Sam worksFor Airbus"),
    ("I am an engineer at Siemens.",
     '(h / have-org-role-91 :ARG0 (i / i) :ARG1 (c / company :name (n / name :op1 "Siemens")) :ARG2 (e / engineer))',
     "Sam worksFor Siemens; Sam worksAs engineer"),
    ("I am a nurse.", "(n / nurse :domain (i / i))", "Sam worksAs nurse"),
    ("I was a nurse.", "(n / nurse :domain (i / i))", "was Sam worksAs nurse"),
    ("I am a teacher.", "(p / person :ARG0-of (t / teach-01) :domain (i / i))", "Sam worksAs teacher"),
    ("My sister Maya lives in Rome.", f"(l / live-01 :ARG0 {MAYA} :location {city('Rome')})",
     "Sam hasSister Maya; Maya livesIn Rome"),
    ("My sister lives in Rome.",
     "(l / live-01 :ARG0 (p / person :ARG0-of (h / have-rel-role-91 :ARG1 (i / i) :ARG2 (s / sister))) "
     f":location {city('Rome')})", "Sam's sister livesIn Rome"),
    ("Maya is my sister.", "(h / have-rel-role-91 :ARG0 (p / person :name (n / name :op1 \"Maya\")) :ARG1 (i / i) "
     ":ARG2 (s / sister))", "Sam hasSister Maya"),
    ("My name is Sam.", '(p / person :name (n / name :op1 "Sam") :domain (i / i))', "Sam hasName Sam"),
    ("My dog is called Rex.", '(n / name-01 :ARG1 (d / dog :poss (i / i)) :ARG2 (n2 / name :op1 "Rex"))', "Sam hasDog Rex"),
    ("I have a dog named Rex.", f"(h / have-03 :ARG0 (i / i) :ARG1 {REX})", "Sam hasDog Rex"),
    ("I have a dog.", "(h / have-03 :ARG0 (i / i) :ARG1 (d / dog))", "Sam hasDog Sam's dog"),
    ("I don't have a dog.", "(h / have-03 :polarity - :ARG0 (i / i) :ARG1 (d / dog))", "not Sam hasDog anything"),
    ("I want a boat.", "(w / want-01 :ARG0 (i / i) :ARG1 (b / boat))", "Sam wants boat"),
    ("I want to buy a boat.", "(w / want-01 :ARG0 (i / i) :ARG1 (b / buy-01 :ARG0 i :ARG1 (b2 / boat)))", ""),
    ("I own a red car.", "(o / own-01 :ARG0 (i / i) :ARG1 (c / car :mod (r / red)))", "Sam owns red car"),
    ("I bought a boat.", "(b / buy-01 :ARG0 (i / i) :ARG1 (b2 / boat))", "Sam owns boat"),
    ("I am 34 years old.", "(a / age-01 :ARG1 (i / i) :ARG2 (t / temporal-quantity :quant 34 :unit (y / year)))",
     "Sam age 34"),
    ("I love jazz and tea.", "(l / love-01 :ARG0 (i / i) :ARG1 (a / and :op1 (j / jazz) :op2 (t / tea)))",
     "Sam likes jazz; Sam likes tea"),
    ("I hate olives.", "(h / hate-01 :ARG0 (i / i) :ARG1 (o / olive))", "Sam dislikes olives"),
    ("I don't like jazz.", "(l / like-01 :polarity - :ARG0 (i / i) :ARG1 (j / jazz))", "not Sam likes jazz"),
    ("I don't think I like jazz.",
     "(t / think-01 :polarity - :ARG0 (i / i) :ARG1 (l / like-01 :ARG0 i :ARG1 (j / jazz)))", "not Sam likes jazz"),
    ("I married Tom.", '(m / marry-01 :ARG1 (i / i) :ARG2 (p / person :name (n / name :op1 "Tom")))', "Sam spouse Tom"),
    ("I am married.", "(m / marry-01 :ARG1 (i / i))", "Sam maritalStatus married"),
    ("I was married.", "(m / marry-01 :ARG1 (i / i))", "was Sam maritalStatus married"),
    ("I'm allergic to peanuts.", "(a / allergic-01 :ARG0 (i / i) :ARG1 (p / peanut))", "Sam allergicTo peanuts"),
    ("I speak French.", '(s / speak-01 :ARG0 (i / i) :ARG3 (l / language :name (n / name :op1 "French")))',
     "Sam speaks French"),
    ("I was born in Bonn in 1990.",
     f"(b / bear-02 :ARG1 (i / i) :location {city('Bonn')} :time (d / date-entity :year 1990))",
     "Sam bornIn Bonn; Sam birthDate 1990"),
    ("I study law.", "(s / study-01 :ARG0 (i / i) :ARG1 (l / law))", "Sam studies law"),
    ("I drive a Tesla.", '(d / drive-01 :ARG0 (i / i) :ARG1 (c / car :name (n / name :op1 "Tesla")))', "Sam drives Tesla"),
    ("I don't eat meat.", "(e / eat-01 :polarity - :ARG0 (i / i) :ARG1 (m / meat))", "not Sam eats meat"),
    ("I play chess.", "(p / play-01 :ARG0 (i / i) :ARG1 (c / chess))", "Sam plays chess"),
    ("I repair clocks.", "(r / repair-01 :ARG0 (i / i) :ARG1 (c / clock))", "Sam repair clocks"),
    ("The Louvre is in Paris.",
     f'(b / be-located-at-91 :ARG1 (m / museum :name (n / name :op1 "Louvre")) :ARG2 {city("Paris")})',
     "Louvre locatedIn Paris"),
    ("Do I live in Paris?", f"(l / live-01 :ARG0 (i / i) :location {city('Paris')} :mode interrogative)", ""),
    ("Where do I live?", "(l / live-01 :ARG0 (i / i) :location (a / amr-unknown))", ""),
    ("I might move to Oslo.", f"(p / possible-01 :ARG1 (m / move-01 :ARG0 (i / i) :ARG2 {city('Oslo')}))", ""),
    ("I would work for Airbus if I lived in Lyon.",
     '(w / work-01 :ARG0 (i / i) :ARG2 (c / company :name (n / name :op1 "Airbus")) '
     f":condition (l / live-01 :ARG0 i :location {city('Lyon', 'y')}))", ""),
    ("She lives in Rome.", f"(l / live-01 :ARG0 (s / she) :location {city('Rome')})", ""),
    ("I live in Paris.", f"(l / live-01 :ARG0 (i / i) :location {city('Berlin')})", ""),
    ("Nice weather!", "(w / weather :mod (n / nice-01))", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "graph", "expected"), SENTENCES)
def test_sentence_is_lifted(text: str, graph: str, expected: str) -> None:
    assert asserted(read(text, graph)) == set(filter(None, expected.split("; ")))


def test_spans_lie_on_the_words() -> None:
    text = "Well, my sister Maya lives in Rome now."
    facts = read(text, f"(l / live-01 :ARG0 {MAYA} :location {city('Rome')})")
    assert [(notation(fact), text[fact.span.start : fact.span.end]) for fact in facts] == [
        ("Sam hasSister Maya", "Maya"),
        ("Maya livesIn Rome", "Maya lives in Rome"),
    ]
    assert facts[0].object.aliases == ("Sam's sister",)


def test_a_question_beside_a_statement_leaves_it_one() -> None:
    graph = (
        f"(m / multi-sentence :snt1 (l / live-01 :ARG0 (i / i) :location {city('Rome')}) "
        ":snt2 (k / know-01 :ARG0 (y / you) :ARG1 (a / amr-unknown)))"
    )
    assert asserted(read("I live in Rome, what do you know?", graph)) == {"Sam livesIn Rome"}


@pytest.mark.parametrize(
    ("text", "time", "valid"),
    [
        ("I have lived in Rome since 2019.", "(s / since :op1 (d / date-entity :year 2019))", (2019, 1, 1)),
        ("I moved to Rome in May 2020.", "(d / date-entity :year 2020 :month 5)", (2020, 5, 1)),
        ("I moved to Rome on 3 May 2020.", "(d / date-entity :year 2020 :month 5 :day 3)", (2020, 5, 3)),
        ("I moved to Rome last week.", "(w / week :mod (l2 / last))", (2023, 5, 1)),
        (
            "I moved to Rome two years ago.",
            "(b / before :op1 (n2 / now) :quant (t / temporal-quantity :quant 2))",
            (2021, 1, 1),
        ),
    ],
)
def test_dates_bound_the_fact(text: str, time: str, valid: tuple[int, int, int]) -> None:
    frame = "live-01" if "lived" in text else "move-01"
    role = ":location" if "lived" in text else ":ARG2"
    (fact,) = read(text, f"(l / {frame} :ARG0 (i / i) {role} {city('Rome')} :time {time})")
    assert (fact.valid_from, fact.valid_to) == (datetime(*valid, tzinfo=UTC), None)


def test_an_end_is_no_beginning() -> None:
    graph = f"(l / live-01 :ARG0 (i / i) :location {city('Rome')} :time (u / until :op1 (d / date-entity :year 2019)))"
    (fact,) = read("I lived in Rome until 2019.", graph)
    assert (fact.valid_from, fact.valid_to) == (None, datetime(2019, 1, 1, tzinfo=UTC))


def test_what_is_over_ends_with_its_time() -> None:
    graph = f"(l / live-01 :ARG0 (i / i) :location {city('Rome')} :time (d / date-entity :year 2019))"
    (fact,) = read("I lived in Rome in 2019.", graph)
    assert (fact.valid_from, fact.valid_to) == (datetime(2019, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC))


def test_a_year_that_nobody_said_is_none() -> None:
    graph = f"(l / live-01 :ARG0 (i / i) :location {city('Rome')} :time (d / date-entity :year 1815))"
    (fact,) = read("I live in Rome.", graph)
    assert fact.valid_from is None


def test_reported_speech_keeps_whose_word_it_is() -> None:
    graph = (
        '(s / say-01 :ARG0 (t / person :name (nt / name :op1 "Tom")) '
        f':ARG1 (l / live-01 :ARG0 (a / person :name (na / name :op1 "Al")) :location {city("Rome")}))'
    )
    (fact,) = read("Tom says that Al lives in Rome.", graph)
    assert (notation(fact), fact.modality, fact.attributed_to) == ("Al livesIn Rome", Modality.REPORTED, "Tom")


def test_ones_own_report_is_an_assertion() -> None:
    graph = f"(s / say-01 :ARG0 (i / i) :ARG1 (l / live-01 :ARG0 i :location {city('Rome')}))"
    assert asserted(read("I said that I live in Rome.", graph)) == {"Sam livesIn Rome"}


def test_only_users_own_words_are_parsed() -> None:
    parser = Written(f"(l / live-01 :ARG0 (i / i) :location {city('Rome')})")
    extractor = AmrExtractor(text_to_amr=parser)
    said = [
        Utterance("assistant", Role.ASSISTANT, "You live in Bonn.", SAID_AT),
        Utterance("Sam", Role.USER, "I live in Rome.", SAID_AT.replace(minute=1)),
        Utterance("Sam", Role.USER, "const city = 'Oslo';", SAID_AT.replace(minute=2)),
    ]
    fragments = extractor.extract_many(said)
    assert parser.parsed == ["I live in Rome."]
    assert [len(fragment.facts) for fragment in fragments] == [0, 1, 0]


@pytest.mark.parametrize("text", ["أنا أعيش في روما", "I live in 🏠", "I live in Rome. " * 40])
def test_any_script_is_taken(text: str) -> None:
    assert read(text, "(l / live-01 :ARG0 (i / i) :location (r / روما))") is not None
