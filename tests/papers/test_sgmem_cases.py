"""SGMem's case studies (Appendix C) over sessions of our own, with the product's own encoder and segmenter.

What the paper shows there is that the right session is found among others that are about the same; so do these.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.adapters.embedder import OnnxEmbedder
from memory.adapters.segmenter import SyntokSegmenter
from memory.core.ports import Embedder
from memory.core.sentence_graph.catalogue import make_retriever
from memory.core.sentence_graph.config import LOCOMO, LONGMEMEVAL
from memory.core.sentence_graph.in_memory import InMemoryIndex, SpokenSession
from memory.core.types import Retrieval, RetrievalQuery, Role, Unit, Utterance


@pytest.fixture(scope="module")
def embedder(sentence_encoder: Path) -> Embedder:
    return OnnxEmbedder(sentence_encoder)


def session(began: datetime, *rounds: tuple[str, str], speakers: tuple[str, str]) -> SpokenSession:
    minute, turns = timedelta(minutes=1), []
    for number, (first, second) in enumerate(rounds):
        roles = (Role.USER, Role.ASSISTANT if speakers[1] == "Assistant" else Role.USER)
        said_at = began + 2 * number * minute
        turns.append(
            (
                Utterance(speakers[0], roles[0], first, said_at),
                Utterance(speakers[1], roles[1], second, said_at + minute),
            )
        )
    return SpokenSession(began, tuple(turns))


def day(year: int, month: int, number: int, hour: int = 12, minute: int = 0) -> datetime:
    return datetime(year, month, number, hour, minute, tzinfo=UTC)


USER = ("User", "Assistant")
MUSEUMS = (
    session(
        day(2022, 9, 3),
        ("My sourdough never rises. What am I doing wrong?", "Feed the starter twice a day and keep it warm."),
        ("I keep it in the fridge.", "That slows it down. Take it out the evening before you bake."),
        speakers=USER,
    ),
    session(
        day(2022, 10, 22),
        (
            "I need ideas for a short talk about chemistry. By the way, I went on a behind-the-scenes tour of the Science "
            "Museum today with a friend who is a chemistry professor.",
            "What a treat! A museum's laboratory would make a lovely opening for your talk.",
        ),
        (
            "She showed me how they preserve old instruments. Could I begin with that?",
            "Yes, begin with one instrument.",
        ),
        speakers=USER,
    ),
    session(
        day(2022, 11, 5),
        ("My laptop gets hot when I edit photos.", "Clean its fan and do not put it on a blanket."),
        ("How long does a battery last?", "Three years or so, if you do not leave it empty."),
        speakers=USER,
    ),
    session(
        day(2022, 11, 26),
        ("Explain compound interest to me.", "Interest is paid on interest, so that a sum grows faster every year."),
        ("And with inflation?", "Subtract it from the rate to see what you can buy."),
        speakers=USER,
    ),
    session(
        day(2022, 12, 10),
        ("Which running shoes are good on ice?", "Look for soft rubber and metal studs."),
        ("I run ten kilometres on Sundays with a friend.", "Then take a pair with more cushioning."),
        speakers=USER,
    ),
    session(
        day(2023, 1, 15),
        (
            "I listened to a lecture at the Modern Art Museum today, about the colours of the impressionists. What else "
            "could I read about them?",
            "Start with the letters that the painters wrote to one another.",
        ),
        ("I was there by myself, so I had time for every room.", "That is the best way to look at paintings."),
        speakers=USER,
    ),
    session(
        day(2023, 2, 4),
        ("What can I cook for six friends who eat no meat?", "A lasagne with spinach can be made the day before."),
        ("Two of them have never visited me.", "Then begin with olives and bread, and time to talk."),
        speakers=USER,
    ),
    session(
        day(2023, 2, 11),
        ("My basil dies on the window sill.", "It wants more light and less water."),
        ("The window looks to the north.", "Then put a lamp above it."),
        speakers=USER,
    ),
    session(
        day(2023, 2, 18),
        (
            "I took a guided tour at the Natural History Museum today. The dinosaurs were huge. Which other museums in town "
            "have fossils?",
            "The geological collection of the university shows some on weekdays.",
        ),
        ("The guide said that the museum opens a new hall in May.", "Then you could visit it again in spring."),
        speakers=USER,
    ),
)
MUSEUM_QUESTION = RetrievalQuery(
    "How many months have passed since I last visited a museum with a friend?",
    asked_at=day(2023, 3, 25, 17, 18),
    asked_by="User",
)

FRIENDS = ("John", "James")
TRAVELS = (
    session(
        day(2022, 3, 17),
        ("How is the new puppy?", "She chews on everything, my controllers too!"),
        ("Which game do you play these days?", "A long strategy game, every night until two."),
        speakers=FRIENDS,
    ),
    session(
        day(2022, 5, 4),
        ("Did you travel anywhere this year?", "Only to Italy, in winter. I loved the ice cream there."),
        ("I would like to see Nepal.", "Mountains are not for me. I prefer cities."),
        speakers=FRIENDS,
    ),
    session(
        day(2022, 7, 9, 17, 13),
        ("What are you up to?", "I bought air tickets to Toronto! I have never been to Canada."),
        ("Wow! When do you go on the trip?", "I depart the day after tomorrow, in the evening."),
        ("And then?", "I also want to visit Vancouver, and I return on July 20."),
        speakers=FRIENDS,
    ),
    session(
        day(2022, 8, 10),
        ("You are back! How was it?", "Canada was great. The people in Vancouver were so kind to me."),
        ("Any photos?", "Hundreds. I will show you when we play next time."),
        speakers=FRIENDS,
    ),
    session(
        day(2022, 6, 1),
        ("My sister moves house on Friday.", "Call me if she needs someone to carry boxes."),
        ("She has eighty of them!", "Then we need my brother too."),
        speakers=FRIENDS,
    ),
    session(
        day(2022, 6, 16),
        ("I burnt the rice again.", "Turn the stove off earlier and leave the lid on."),
        ("Do you cook every day?", "On weekends, mostly soups."),
        speakers=FRIENDS,
    ),
    session(
        day(2022, 8, 21),
        ("The new patch made the game slow.", "I turned the shadows off and it runs well."),
        ("I will try that.", "Write to me when it works."),
        speakers=FRIENDS,
    ),
    session(
        day(2022, 9, 2),
        ("I started to coach a football team.", "That sounds like a lot of work. When did you begin?"),
        ("Last week. The kids are quick.", "I will come and watch a game."),
        speakers=FRIENDS,
    ),
)
DEPARTURE_QUESTION = RetrievalQuery(
    "When did James depart for his trip to Canada?", asked_at=day(2022, 12, 1), asked_by="John"
)


def test_of_three_visits_to_museums_the_one_with_a_friend_is_found(embedder: Embedder) -> None:
    index = InMemoryIndex(MUSEUMS, embedder=embedder, segmenter=SyntokSegmenter())
    found = make_retriever("sgmem_s", index, config=LONGMEMEVAL).retrieve(MUSEUM_QUESTION, limit=LONGMEMEVAL.top_k)
    sessions = index.passages_of(Unit.SESSION, [one.id for one in found.chunks[Unit.SESSION]])
    assert {one.said_at for one in sessions} >= {day(2022, 10, 22), day(2023, 1, 15), day(2023, 2, 18)}
    assert "friend who is a chemistry professor" in words_of(index, found)
    by_best = make_retriever("sgmem_s_max", index, config=LONGMEMEVAL).retrieve(MUSEUM_QUESTION, limit=2)
    nearest = index.passages_of(Unit.SESSION, [one.id for one in by_best.chunks[Unit.SESSION]])
    assert day(2022, 10, 22) in {one.said_at for one in nearest}


def test_the_day_of_a_departure_is_found_by_words_that_name_no_date(embedder: Embedder) -> None:
    index = InMemoryIndex(TRAVELS, embedder=embedder, segmenter=SyntokSegmenter())
    found = make_retriever("sgmem_s", index, config=LOCOMO).retrieve(DEPARTURE_QUESTION, limit=LOCOMO.top_k)
    sessions = index.passages_of(Unit.SESSION, [one.id for one in found.chunks[Unit.SESSION]])
    assert day(2022, 7, 9, 17, 13) in {one.said_at for one in sessions}
    assert "I depart the day after tomorrow, in the evening." in words_of(index, found)
    by_turn = make_retriever("sgmem_t", index, config=LOCOMO).retrieve(DEPARTURE_QUESTION, limit=5)
    turns = index.passages_of(Unit.TURN, [one.id for one in by_turn.chunks[Unit.TURN]])
    assert "I depart the day after tomorrow, in the evening." in [one.text for one in turns]


def words_of(index: InMemoryIndex, found: Retrieval) -> str:
    return " ".join(one.text for one in index.passages_of(Unit.SENTENCE, [one.id for one in found.sentences]))
