"""The margin when there is much in it: sorted by whom it is about, filtered, folded, and read by whom it is about."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.core.types import Modality
from memory.models import DigestRecord, EntityRecord, Membership, Session, Space, TripleRecord
from memory.services import space_create
from memory.services.accounts import account_rename
from memory.services.edits.correct import triple_retract
from tests.integration.memory.graphs import START, entity, spoken, triple

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def owner() -> User:
    """A person who never said a name."""
    return User.objects.create_user("owner")


@pytest.fixture
def space(owner: User) -> Space:
    return space_create(name="A memory", owner=owner)


@pytest.fixture
def sentence(space: Space):
    return spoken(Session.objects.create(space=space, started_at=START), "I met them all.", speaker="owner")


@pytest.fixture
def you(space: Space) -> EntityRecord:
    return entity(space, "owner", is_speaker=True, kind="Person")


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def known(space: Space, sentence, you: EntityRecord, *, people: int = 12, each: int = 10) -> list[EntityRecord]:
    """Tell the same number of facts about each of some people, and one more about the person, which are the oldest."""
    for number in range(each + 1):
        triple(sentence, you, "likes", f"thing {number}")
    others = [entity(space, f"Friend {number}", kind="Person") for number in range(people)]
    for other in others:
        for number in range(each):
            triple(sentence, other, "visited", f"place {number}")
    return others


def panel(client: Client, space: Space, **asked: object) -> str:
    return client.get(reverse("memory-panel", args=[space.pk]), asked, **HTMX).content.decode()


def groups(html: str) -> list[tuple[str, int, int, bool]]:
    """Return name, count, shown facts and whether it is open, of every group."""
    found = []
    for part in html.split('<details class="about"')[1:]:
        name, count = re.search(r'about-name">(.*?)</span> <span class="meta">(\d+)', part).groups()
        found.append((name, int(count), part.count('<li class="fact"'), part.split(">")[0].endswith(" open")))
    return found


def test_facts_are_sorted_by_whom_they_are_about_the_reader_first(owner, space, sentence, you):
    maya = entity(space, "owner's sister", kind="Person")
    for subject, thing in ((you, "figs"), (maya, "rain"), (maya, "snow")):
        triple(sentence, subject, "likes", thing)
    triple(sentence, maya, "likes", "gold", modality=Modality.HYPOTHETICAL)
    html = panel(browser(owner), space)
    assert groups(html) == [("You", 1, 1, True), ("Your sister", 2, 3, True)]
    assert "Your sister likes gold." in html.split("Said, but not as a fact")[1]
    assert "margin-filter" not in html, "so few are seen at a glance"


def test_much_is_folded_and_each_part_of_it_opens(owner, space, sentence, you, django_assert_max_num_queries):
    friends = known(space, sentence, you)
    client = browser(owner)
    with django_assert_max_num_queries(9):
        html = panel(client, space)
    shown = groups(html)
    assert shown[:5] == [
        ("You", 11, 6, True), *((f"Friend {number}", 10, 6, True) for number in (11, 10, 9)), ("Friend 8", 10, 0, False),
    ]  # fmt: skip
    assert len(shown) == 13 and {(count, facts, is_open) for _, count, facts, is_open in shown[4:]} == {(10, 0, False)}
    address = reverse("memory-about", args=[space.pk, friends[0].pk])
    assert address in html
    with django_assert_max_num_queries(6):
        part = client.get(address).content.decode()
    assert part.count('<li class="fact"') == 10 and "Show more" not in part
    few = client.get(address, {"limit": "4"}).content.decode()
    assert few.count('<li class="fact"') == 4 and "6 not shown" in few and f"{address}?limit=24" in few


def test_filter_leaves_what_has_the_words_of_all_groups(owner, space, sentence, you):
    known(space, sentence, you)
    client = browser(owner)
    assert groups(panel(client, space, q="friend 7")) == [("Friend 7", 10, 10, True)]
    html = panel(client, space, q="nobody <b>at all")
    assert groups(html) == [] and "Nothing that I remember has “nobody &lt;b&gt;at all” in it." in html
    assert "I know nothing about you yet" not in html and 'value="nobody &lt;b&gt;at all"' in html
    assert len(groups(panel(client, space, q="met them"))) == 13
    part = client.get(reverse("memory-about", args=[space.pk, you.pk]), {"q": "friend"}).content.decode()
    assert "This does not hold any more." in part


@pytest.mark.parametrize("limit", ["x", "-1", "0"])
def test_what_is_no_limit_is_refused(owner, space, you, limit):
    assert browser(owner).get(reverse("memory-about", args=[space.pk, you.pk]), {"limit": limit}).status_code == 404


def test_groups_of_another_are_not_found(owner, space, you):
    other = space_create(name="Other", owner=User.objects.create_user("ben"))
    theirs = entity(other, "Ben", is_speaker=True)
    assert browser(owner).get(reverse("memory-about", args=[other.pk, theirs.pk])).status_code == 404
    assert browser(owner).get(reverse("memory-about", args=[space.pk, theirs.pk])).status_code == 404


@pytest.fixture
def spoken_of(owner: User, space: Space, sentence, you: EntityRecord) -> Space:
    """A memory with facts, an edit and a digest about a person who never said a name."""
    fact, gone = triple(sentence, you, "livesIn", entity(space, "Lyon")), triple(sentence, you, "likes", "figs")
    triple(sentence, entity(space, "owner's sister", kind="Person"), "knows", you)
    DigestRecord.objects.create(
        space=space, kind=DigestRecord.Kind.FACT, session=sentence.turn.session, round=sentence.turn.round,
        text="owner lives in Lyon.", said_at=START,
    ).sentences.add(sentence)  # fmt: skip
    triple_retract(triple=gone, by=owner)
    assert fact.superseded_at is None
    return space


PAGES = ("memory-panel", "space-graph", "space-graph-data", "space-triples", "space-entities", "space-digests",
         "space-sentences", "space-settings", "space-sentence-graph")  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_person_without_a_name_reads_you_and_another_member_the_name(owner, spoken_of, page):
    ben = User.objects.create_user("ben")
    Membership.objects.create(space=spoken_of, user=ben, role=Membership.Role.MEMBER)
    address = reverse(page, args=[spoken_of.pk])
    own, others = (visible(browser(user).get(address).content.decode()) for user in (owner, ben))
    assert "owner" not in own and "you" in own.lower()
    assert "owner" in others


def visible(html: str) -> str:
    """Return what is to be read of a page: its text and labels, without addresses and the role of a member."""
    hidden = r'<option value="[^"]*"|\b(?:action|href|hx-\w+|name|id|for|class|data-\w+|src)="[^"]*"|"id": "[^"]*"'
    return re.sub(r"<span[^>]*>owner</span>", "", re.sub(hidden, "", html)).lower()


def test_what_was_said_before_the_name_was_is_still_the_readers(owner, spoken_of):
    account_rename(user=owner, first_name="Ana", last_name="")
    client = browser(User.objects.get(pk=owner.pk))
    html = panel(client, spoken_of)
    assert "You live in Lyon." in html and "Your sister" in html and "owner" not in visible(html)
    assert "you live in lyon." in visible(client.get(reverse("space-digests", args=[spoken_of.pk])).content.decode())
    assert TripleRecord.objects.filter(space=spoken_of, subject__label="Ana").exists()
