"""Questions as chains of links: possessives, of-phrases, relative clauses, things in common."""

from __future__ import annotations

import pytest

from conversations.core.responders.d_smart.questions import Aim, ChainQuestion, read_chains
from conversations.core.responders.d_smart.rules import is_woven
from tests.fakes.language import real_parser


def chain_of(text: str) -> ChainQuestion:
    [chain] = read_chains([text], parser=real_parser())
    assert chain is not None
    return chain


def notation(chain: ChainQuestion) -> list[str]:
    """Return the links as "I [sister] sister", "Tom (work for) company"."""

    def name(place: int) -> str:
        thing = chain.sketch.things[place]
        return "I" if thing.is_speaker else (thing.names or (thing.value or thing.noun or thing.words,))[0]

    return [
        f"{name(link.source)} {'[' if link.is_role else '('}{link.words}{']' if link.is_role else ')'} {name(link.target)}"
        for link in chain.sketch.links
    ]


# fmt: off
CHAINS = [
    ("Where does my sister's employer have its office?",
     ["I [sister] sister", "sister [employer] employer", "employer (have office where) place"]),
    ("Which city does the company that Tom works for sit in?", ["Tom (work for) company", "company (sit in) city"]),
    ("Where does the company Maya works for have its office?",
     ["Maya (work for) company", "company (have office where) place"]),
    ("What does the owner of the bakery my aunt works at drive?",
     ["I [aunt] aunt", "aunt (work at) bakery", "bakery [owner] owner", "owner (drive) what"]),
    ("Who is the boss of the woman my brother married?",
     ["I [brother] brother", "brother (marry) woman", "woman [boss] boss"]),
    ("In which country is the city where my brother lives?",
     ["I [brother] brother", "brother (live where) city", "city (be in) country"]),
    ("Who lives in the city where my aunt was born?", ["I [aunt] aunt", "aunt (born where) city", "who (live in) city"]),
    ("Who works for the company that makes garden furniture?",
     ["company (make) garden furniture", "who (work for) company"]),
    ("Whose sister works at Saint Anne Hospital?", ["whose [sister] sister", "sister (work at) Saint Anne Hospital"]),
    ("Where was the person who wrote my favourite book born?",
     ["I [favourite book] favourite book", "person (write) favourite book", "person (born where) place"]),
    ("In which city is the company based that my cousin's husband works for?",
     ["I [cousin] cousin", "cousin [husband] husband", "husband (work for) company", "company (be based in) city"]),
    ("Which street is the shop on that my daughter's piano teacher's wife runs?",
     ["I [daughter] daughter", "daughter [piano teacher] piano teacher", "piano teacher [wife] wife", "wife (run) shop",
      "shop (be on) street"]),
    ("In which city are the headquarters of the company my sister works for?",
     ["I [sister] sister", "sister (work for) company", "company (have headquarters in) city"]),
    ("Is my mum's choir directed by Oksana?", ["I [mum] mum", "mum [choir] choir", "Oksana (direct) choir"]),
    ("Who plays chess and speaks Turkish?", ["who (play) chess", "who (speak) Turkish"]),
    ("What do my sister and my boss both like?",
     ["I [sister] sister", "I [boss] boss", "sister (like) what", "boss (like) what"]),
    ("Is my landlord's wife a dentist?", ["I [landlord] landlord", "landlord [wife] wife", "wife (be) dentist"]),
]
# fmt: on


@pytest.mark.parametrize(("text", "links"), CHAINS, ids=[text for text, _ in CHAINS])
def test_questions_are_read_as_links(text: str, links: list[str]) -> None:
    assert notation(chain_of(text)) == links


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("Do any two of my friends work at the same company?", Aim.TRUTH),
        ("Which two friends of mine work at the same company?", Aim.VALUE),
        ("Does my sister live in the same city as my boss?", Aim.TRUTH),
        ("Who has the same teacher as Marta?", Aim.VALUE),
    ],
)
def test_what_two_have_in_common_is_one_thing(text: str, aim: Aim) -> None:
    chain = chain_of(text)
    assert chain.aim is aim
    targets = [link.target for link in chain.sketch.links if chain.sketch.is_described(link.target)]
    assert len(set(targets)) == len(targets) - 1
    assert len(chain.sketch.apart) == 1


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("How do I know Nadia?", ["you", "Nadia"]),
        ("What connects Maya and Airbus?", ["Maya", "Airbus"]),
        ("How is Maya connected to my boss?", ["Maya", "boss"]),
        ("What is the connection between Tom and Rosa?", ["Tom", "Rosa"]),
    ],
)
def test_connections_have_two_ends(text: str, ends: list[str]) -> None:
    chain = chain_of(text)
    assert chain.aim is Aim.CONNECTION
    assert [chain.sketch.things[place].words for place in chain.pair or ()] == ends


def test_how_many_asks_for_a_count() -> None:
    chain = chain_of("How many of my friends work at Spotify?")
    assert chain.aim is Aim.COUNT
    assert notation(chain) == ["I [friends] friends", "friends (work at) Spotify"]


@pytest.mark.parametrize(
    ("text", "is_one_woven"),
    [
        ("Where do I live?", False),
        ("What is my sister's job?", False),
        ("Where does my sister's boss live?", False),
        ("Where does the woman my brother married live?", True),
        ("Which of my friends lives in Lyon?", True),
        ("Whose husband works for Airbus?", True),
    ],
)
def test_what_one_look_follows_is_not_woven(text: str, is_one_woven: bool) -> None:
    assert is_woven(chain_of(text)) is is_one_woven


@pytest.mark.parametrize(
    "text", ["?", "what", "Where?", "Who who who who?", "the of the of my's?", "Whose?", "In which?"]
)
def test_broken_questions_are_read_or_left_alone(text: str) -> None:
    [chain] = read_chains([text], parser=real_parser())
    assert chain is None or chain.text
