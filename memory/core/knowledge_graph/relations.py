"""Axioms of the relations between people: functional, symmetric, asymmetric, irreflexive.

No relation has an axiom that life breaks: one can be one's own boss, and two people can be each other's client.
"""

from __future__ import annotations

# One value at a time; a second friend, sister or dog is no contradiction.
SINGLE_RELATIONS = frozenset(
    "hasMother hasFather hasPartner hasBoss hasMotherInLaw hasFatherInLaw hasGirlfriend hasBoyfriend hasFiance".split()
)
SYMMETRIC_RELATIONS = frozenset(
    "hasFriend hasNeighbor hasColleague hasRoommate hasCousin hasClassmate hasTwin hasPartner hasSibling".split()
)
BROADER_RELATIONS = {
    **dict.fromkeys(("hasMother", "hasFather"), "hasParent"),
    **dict.fromkeys(("hasSon", "hasDaughter"), "hasChild"),
    **dict.fromkeys(("hasSister", "hasBrother", "hasTwin"), "hasSibling"),
    **dict.fromkeys(("hasGrandmother", "hasGrandfather"), "hasGrandparent"),
    **dict.fromkeys(("hasGrandson", "hasGranddaughter"), "hasGrandchild"),
}
INVERSE_RELATIONS = {
    "hasParent": "hasChild",
    "hasChild": "hasParent",
    "hasGrandparent": "hasGrandchild",
    "hasGrandchild": "hasGrandparent",
}
# What is said of these cannot hold the other way round too.
ASYMMETRIC_RELATIONS = frozenset({*INVERSE_RELATIONS, "hasMother", "hasFather", "hasSon", "hasDaughter"})
_KIN = frozenset(
    {*BROADER_RELATIONS, *INVERSE_RELATIONS, "hasSibling"}.union(
        "hasCousin hasAunt hasUncle hasNiece hasNephew hasStepsister hasStepbrother hasStepmother hasStepfather "
        "hasStepson hasStepdaughter hasMotherInLaw hasFatherInLaw hasSisterInLaw hasBrotherInLaw".split()
    )
)
_ROMANCE = frozenset("hasPartner hasGirlfriend hasBoyfriend hasFiance".split())
# Nobody is this to oneself.
RELATIONS_OF_TWO = _KIN | _ROMANCE | frozenset("hasRoommate hasNeighbor hasColleague hasClassmate".split())
# Between living beings only. Firms have neighbours, bosses and clients, so that those are left out.
TYPED_RELATIONS = _KIN | _ROMANCE
