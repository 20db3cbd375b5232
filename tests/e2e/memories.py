"""Memories of any size for pictures, written as rows: a person, those around them, and what is known of all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from memory.models import EntityRecord, Session, Space, TripleRecord
from memory.services import space_personal
from memory.services.accounts import speaker_name
from tests.integration.memory.graphs import entity, spoken, triple

PEOPLE = (
    "Maya",
    "Tom Berger",
    "Dr. Ines Fontaine-Castellanos",
    "Ravi",
    "Lena",
    "Oskar",
    "Petra",
    "Yusuf",
    "Chiara",
    "Jo",
)
PLACES = ("Lyon", "Oslo", "Bergen", "San Sebastián", "Porto", "Kyoto")
FIRMS = ("Airbus", "the city library", "Northwind Logistics International", "a bakery")
LIKES = (
    "figs", "climbing", "Portuguese guitar music from the thirties", "rain", "chess", "sourdough", "ferries", "maps",
    "lavender", "old radios", "night trains", "swimming in cold lakes",
)  # fmt: skip
KIN = ("hasSister", "hasBrother", "hasFriend", "hasColleague")


def filled(username: str, facts: int) -> Space:
    """Fill an account's own space with so many facts that hold, and two that were replaced."""
    user = User.objects.get(username=username)
    space = space_personal(user=user)
    session = Session.objects.create(space=space, started_at=timezone.now() - timedelta(days=40), key="filled")
    sentence = spoken(session, "All of this was said at once.", speaker=speaker_name(user))
    known: dict[str, EntityRecord] = {}

    def named(label: str, **fields: Any) -> EntityRecord:
        if label not in known:
            known[label] = entity(space, label, **fields)
        return known[label]

    you = named(speaker_name(user), is_speaker=True, kind="Person")
    for old, new in (("Paris", "Lyon"), ("a bank", "Airbus")):
        predicate = "livesIn" if new == "Lyon" else "worksFor"
        before = triple(sentence, you, predicate, named(old))
        after = triple(sentence, you, predicate, named(new))
        later = before.recorded_at + timedelta(seconds=9)
        TripleRecord.objects.filter(pk=before.pk).update(superseded_at=later, superseded_by=after)
    for subject, predicate, value in told(facts - 2):
        thing = named(value) if predicate != "age" else value
        triple(sentence, named(subject) if subject else you, predicate, thing)
    return space


def told(count: int) -> list[tuple[str, str, str]]:
    """Return so many facts by the names in them, those about the person without a subject."""
    said = [("", KIN[number % 4], name) for number, name in enumerate(PEOPLE)]
    said += [("", "likes", thing) for thing in LIKES]
    said += [("", "visited", place) for place in PLACES]
    said += [("", "age", "34"), ("", "allergicTo", "hazelnuts"), ("", "speaks", "Portuguese"), ("", "owns", "a boat")]
    for at, name in enumerate(PEOPLE):
        said += [(name, "livesIn", PLACES[at % 6]), (name, "worksFor", FIRMS[at % 4])]
        said += [(name, "likes", LIKES[at * 5 % 12]), (name, "knows", PEOPLE[(at + 3) % 10])]
    mixed = [fact for _, fact in sorted(enumerate(said), key=lambda one: (one[0] * 31) % 72)]
    for number in range(count):
        mixed.append(("", "likes", f"{LIKES[number % 12]} no. {number}"))
        mixed.append((PEOPLE[number % 10], "visited", f"place no. {number}"))
    return mixed[:count]
