"""From synsets to DUL classes (D-SMART, Algorithm 1, lines 14 to 19), by tables.

The paper asks Framester for both. Its service is gone; the tables below were counted over the synsets of published FRED
and Framester graphs (about 93% agree with it): the nearest listed hypernym decides, else the supersense does.

The class for checks is deliberately weak: where the types of a supersense scatter it is Entity, which excludes nothing, so
that a wrong sense never becomes a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory.core.knowledge_graph.senses.lexicon import Lexicon, Synset

ENTITY = "dul:Entity"
# A chain of hypernyms in WordNet 3.0 has at most 19 links; a broken file must not make it endless.
LONGEST_CHAIN = 30

# supersense: (Framester's type, class for checks)
# fmt: off
BY_SUPERSENSE: dict[str, tuple[str, str]] = {
    "noun.Tops": (ENTITY, ENTITY),
    "noun.act": ("d0:Activity", "dul:Action"),
    "noun.animal": ("dul:Organism", "dul:Organism"),
    "noun.plant": ("dul:Organism", "dul:Organism"),
    "noun.artifact": ("dul:PhysicalObject", "dul:PhysicalObject"),
    "noun.body": ("dul:PhysicalObject", "dul:PhysicalObject"),
    "noun.food": ("dul:PhysicalObject", "dul:PhysicalObject"),
    "noun.substance": ("dul:PhysicalObject", "dul:PhysicalObject"),
    "noun.attribute": ("d0:Characteristic", "dul:Quality"),
    "noun.cognition": ("d0:CognitiveEntity", ENTITY),
    "noun.feeling": ("d0:CognitiveEntity", ENTITY),
    "noun.communication": ("dul:InformationEntity", "dul:InformationEntity"),
    "noun.event": ("d0:Event", "dul:Event"),
    "noun.phenomenon": ("d0:Event", "dul:Event"),
    "noun.group": ("dul:Collection", "dul:Collection"),
    "noun.location": ("d0:Location", ENTITY),
    "noun.motive": ("d0:Event", ENTITY),
    "noun.object": ("d0:Location", ENTITY),
    "noun.shape": ("d0:Location", ENTITY),
    "noun.person": ("dul:Person", "dul:Person"),
    "noun.possession": ("dul:Description", "dul:Description"),
    "noun.relation": ("dul:Description", "dul:Description"),
    "noun.process": ("dul:Process", "dul:Process"),
    "noun.quantity": ("dul:Amount", "dul:Amount"),
    "noun.state": ("dul:Situation", "dul:Situation"),
    "noun.time": ("dul:TimeInterval", "dul:TimeInterval"),
}
BY_PART_OF_SPEECH = {"v": "dul:Event", "a": "dul:Quality", "r": "dul:Quality"}
BY_HYPERNYM: dict[int, str] = {
    **dict.fromkeys((191142, 745005, 5816287, 5669934, 11524662), "dul:Situation"),
    **dict.fromkeys((6598915, 5996646), "d0:Topic"),
    **dict.fromkeys((5809192, 3129123), "dul:InformationEntity"),
    8008335: "dul:Organization",
    **dict.fromkeys((30358, 13253255), "d0:Activity"),
    13945919: "dul:Role",
    5616246: "d0:Characteristic",
    **dict.fromkeys((6284225, 5898568, 410247, 13928668), "dul:Description"),
    **dict.fromkeys((27167, 4564698, 4362025), "d0:Location"),
    **dict.fromkeys((19128, 6254669), "dul:PhysicalObject"),
    **dict.fromkeys((15154774, 15180528, 7260623), "dul:Amount"),
    13440063: "dul:Process",
    **dict.fromkeys((9504135, 9483738), "dul:Personification"),
    8435388: "d0:System",
}
# fmt: on


def dul_class_of(synset: Synset, lexicon: Lexicon) -> str:
    """Return the DUL (or d0) class that a synset aligns to, as a prefixed name."""
    if synset.pos != "n":
        return BY_PART_OF_SPEECH.get(synset.pos, ENTITY)
    for ancestor in hypernym_chain(synset, lexicon):
        if ancestor.offset in BY_HYPERNYM:
            return BY_HYPERNYM[ancestor.offset]
    return BY_SUPERSENSE.get(synset.supersense, (ENTITY, ENTITY))[0]


def check_class_of(synset: Synset) -> str:
    """Return the weak class that a consistency check may use."""
    if synset.pos != "n":
        return BY_PART_OF_SPEECH.get(synset.pos, ENTITY)
    return BY_SUPERSENSE.get(synset.supersense, (ENTITY, ENTITY))[1]


def hypernym_chain(synset: Synset, lexicon: Lexicon) -> Iterator[Synset]:
    """Yield the synset and its first hypernyms, upwards."""
    current = synset
    for _ in range(LONGEST_CHAIN):
        yield current
        if not current.hypernyms:
            return
        current = lexicon.synset(current.hypernyms[0], current.pos)
