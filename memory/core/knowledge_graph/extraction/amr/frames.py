"""Which property a frame's roles stand for: the table of the lifting.

AMR makes every event a node of its own, so that nothing it says can ever clash with what was said before. Lifting turns
a frame and two of its roles into a property between the things that fill them (live-01 + location -> livesIn).
Roles are PropBank's.
"""

from __future__ import annotations

from dataclasses import dataclass

_AGENT = ("ARG0", "ARG1", "domain")


@dataclass(frozen=True)
class Lifting:
    """One property of a frame: who fills its subject and its object, the first of the roles that is there.

    `kind` is what its object is; a `change` puts its subject into a state, so that its past form tells of the present.
    """

    predicate: str
    phrase: str
    object_roles: tuple[str, ...]
    subject_roles: tuple[str, ...] = _AGENT
    kind: str = ""
    is_change: bool = False


def _home(*roles: str, phrase: str, is_change: bool = False) -> Lifting:
    return Lifting("livesIn", phrase, roles, kind="Place", is_change=is_change)


def _plain(predicate: str, phrase: str, kind: str = "") -> tuple[Lifting, ...]:
    return (Lifting(predicate, phrase, ("ARG1", "ARG2"), ("ARG0",), kind),)


_MOVES = (
    Lifting("livesIn", "move to", ("ARG2", "destination"), ("ARG1", "ARG0"), "Place", is_change=True),
    Lifting("movedFrom", "move from", ("source",), ("ARG1", "ARG0"), "Place"),
)
_FAMILIAR = (Lifting("likes", "like", ("ARG1",), ("ARG0",)),)
_AVERSE = (Lifting("dislikes", "dislike", ("ARG1",), ("ARG0",)),)
_ALLERGIC = (
    Lifting("allergicTo", "be allergic to", ("ARG1", "ARG2", "prep-to", "topic", "cause"), ("ARG0", "domain")),
)
_WEDDING = (Lifting("spouse", "marry", ("ARG2", "ARG1"), ("ARG1", "ARG0"), "Person", is_change=True),)

FRAME_LIFTINGS: dict[str, tuple[Lifting, ...]] = {
    "live-01": (
        _home("location", "ARG1", phrase="live in"),
        Lifting("livesWith", "live with", ("accompanier",), kind="Person"),
    ),
    "reside-01": (_home("location", "ARG2", phrase="reside in"),),
    "settle-03": (_home("location", "ARG4", "ARG2", phrase="settle in", is_change=True),),
    "move-01": _MOVES,
    "relocate-01": _MOVES,
    "emigrate-01": _MOVES,
    "be-located-at-91": (Lifting("locatedIn", "be in", ("ARG2",), ("ARG1",), "Place"),),
    "be-from-91": (Lifting("comesFrom", "come from", ("ARG2",), ("ARG1",), "Place"),),
    "come-03": (Lifting("comesFrom", "come from", ("ARG2", "ARG3", "source"), ("ARG1",), "Place"),),
    "grow-up-04": (Lifting("grewUpIn", "grow up in", ("location",), kind="Place"),),
    "bear-02": (
        Lifting("bornIn", "be born in", ("location",), ("ARG1",), "Place", is_change=True),
        Lifting("birthDate", "be born on", ("time",), ("ARG1",), "Date", is_change=True),
    ),
    "work-01": (
        Lifting("worksFor", "work for", ("ARG2", "location"), ("ARG0",), "Organization"),
        Lifting("worksAs", "work as", ("ARG1",), ("ARG0",), "Occupation"),
        Lifting("worksWith", "work with", ("ARG3", "accompanier"), ("ARG0",), "Person"),
    ),
    "employ-01": (Lifting("worksFor", "work for", ("ARG0",), ("ARG1",), "Organization"),),
    "hire-01": (Lifting("worksFor", "work for", ("ARG0",), ("ARG1",), "Organization", is_change=True),),
    "have-org-role-91": (
        Lifting("worksFor", "work for", ("ARG1",), ("ARG0",), "Organization"),
        Lifting("worksAs", "work as", ("ARG2", "ARG3"), ("ARG0",), "Occupation"),
    ),
    "marry-01": _WEDDING,
    "wed-01": _WEDDING,
    "name-01": (Lifting("hasName", "be called", ("ARG2",), ("ARG1",), "Name"),),
    "age-01": (Lifting("age", "be", ("ARG2",), ("ARG1",), "Quantity"),),
    "like-01": _FAMILIAR,
    "love-01": _FAMILIAR,
    "love-02": _FAMILIAR,
    "enjoy-01": _FAMILIAR,
    "adore-01": _FAMILIAR,
    "hate-01": _AVERSE,
    "dislike-01": _AVERSE,
    "detest-01": _AVERSE,
    "loathe-01": _AVERSE,
    "fear-01": _plain("fears", "be afraid of"),
    "allergy-01": _ALLERGIC,
    "allergic-01": _ALLERGIC,
    "own-01": _plain("owns", "own"),
    "have-03": _plain("owns", "have"),
    "possess-01": _plain("owns", "have"),
    "buy-01": (Lifting("owns", "buy", ("ARG1",), ("ARG0",), is_change=True),),
    "adopt-01": (Lifting("owns", "adopt", ("ARG1",), ("ARG0",), is_change=True),),
    "speak-01": (Lifting("speaks", "speak", ("ARG3", "ARG1"), ("ARG0",), "Language"),),
    "study-01": (
        Lifting("studies", "study", ("ARG1",), ("ARG0",)),
        Lifting("studiesAt", "study at", ("location",), ("ARG0",), "Organization"),
    ),
    "learn-01": _plain("learns", "learn"),
    "teach-01": _plain("teaches", "teach"),
    "graduate-01": (Lifting("graduatedFrom", "graduate from", ("source", "ARG2"), ("ARG0", "ARG1"), "Organization"),),
    "manage-01": _plain("manages", "manage"),
    "attend-01": _plain("attends", "attend"),
    "drive-01": _plain("drives", "drive"),
    "eat-01": _plain("eats", "eat", "Food"),
    "drink-01": _plain("drinks", "drink", "Food"),
    "play-01": _plain("plays", "play"),
    "play-11": _plain("plays", "play"),
    "use-01": _plain("uses", "use"),
    "need-01": _plain("needs", "need"),
    "want-01": _plain("wants", "want"),
    "know-02": _plain("knows", "know", "Person"),
    "visit-01": _plain("visited", "visit"),
    "meet-02": _plain("met", "meet", "Person"),
}

# What hangs below these is not said to be so.
SUPPOSING = frozenset(
    "possible-01 permit-01 wish-01 hope-01 want-01 plan-01 intend-01 dream-01 imagine-01 recommend-01 obligate-01 "
    "consider-02 suppose-01 doubt-01 wonder-01 likely-01 pretend-01 desire-01 prefer-01 have-condition-91 try-01 decide-01 "
    "need-01".split()
)
REPORTING = frozenset(
    "say-01 tell-01 claim-01 report-01 state-01 believe-01 think-01 mention-01 announce-01 hear-01 write-01 insist-01 "
    "suggest-01 guess-01 assume-01 deny-01 promise-01".split()
)
# Ending what hangs below denies it.
ENDING = frozenset("stop-01 stop-03 quit-05 quit-01 cease-01 give-up-07 end-01".split())
