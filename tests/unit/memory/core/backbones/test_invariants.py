"""What holds for every backbone, whatever is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.backbones.catalogue import BACKBONES, make_backbone
from memory.core.errors import UnknownBackbone
from memory.core.ports import Backbone
from tests.fakes.backbones import parts, turns
from tests.fakes.spoken import asking

PEOPLE = ("Ann", "Bob", "Cleo")
PREDICATES = ("livesIn", "worksFor", "likes", "not likes")
THINGS = ("Paris", "Lyon", "green tea", "Airbus", "Bob")


@st.composite
def lines(draw: st.DrawFn) -> str:
    who, what, thing = draw(st.tuples(*map(st.sampled_from, (PEOPLE, PREDICATES, THINGS))))
    words = f"not {who} {what[4:]} {thing}." if what.startswith("not ") else f"{who} {what} {thing}."
    return f"{draw(st.sampled_from(PEOPLE))}: {draw(st.sampled_from((words, words, 'Hello there.', 'Who is it?')))}"


sessions = st.lists(st.lists(lines(), max_size=5), max_size=4)
questions = st.sampled_from(("Why does Ann live in Paris?", "When did Bob like tea?", "Who works for Airbus?", "?"))


def written(name: str, said: list[list[str]]) -> Backbone:
    memory = make_backbone(name, parts())
    for day, session in enumerate(said):
        memory.add(turns(*session, day=day))
    return memory


@pytest.mark.parametrize("name", BACKBONES)
@given(said=sessions, question=questions, limit=st.integers(0, 8))
def test_a_memory_keeps_to_its_limit_gives_each_unit_once_and_the_same_again(
    name: str, said: list[list[str]], question: str, limit: int
) -> None:
    memory = written(name, said)
    found = memory.retrieve(asking(question), limit=limit)
    assert len(found) <= min(limit, memory.size)
    assert len({unit.id for unit in found}) == len(found)
    assert all(unit.text.strip() for unit in found)
    assert [unit.score for unit in found] == sorted((unit.score for unit in found), reverse=True)
    assert written(name, said).retrieve(asking(question), limit=limit) == found == memory.retrieve(
        asking(question), limit=limit
    )  # fmt: skip


@pytest.mark.parametrize("name", BACKBONES)
def test_an_empty_memory_has_nothing_and_a_full_one_what_was_asked_for(name: str) -> None:
    empty = make_backbone(name, parts())
    empty.add([])
    assert (empty.name, empty.size, empty.retrieve(asking("Where does Ann live?"), limit=3)) == (name, 0, [])
    memory = written(name, [["Ann: Ann livesIn Paris.", "Bob: Bob worksFor Airbus."], ["Bob: Bob likes green tea."]])
    [first, *_] = memory.retrieve(asking("Who likes green tea?"), limit=2)
    assert "tea" in first.text
    assert memory.size >= 3


def test_another_name_is_refused() -> None:
    with pytest.raises(UnknownBackbone, match=r"'oracle'.*raptor"):
        make_backbone("oracle", parts())
