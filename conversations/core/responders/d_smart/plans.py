"""From a question's sketch to its plan: names become entities of the memory. And ways between entities, for connections."""

from collections import deque
from collections.abc import Sequence

from conversations.core.responders.d_smart.questions import ChainQuestion
from conversations.core.responders.d_smart.sketch import Sketch, Sketched
from conversations.core.types import Query
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.ports import MemoryReader
from memory.core.reasoning_tree.rule_based_plan import End, Link, Plan, Thing, object_end, subject_end
from memory.core.types import Triple

_TITLES = (("dr", "doctor"), ("mr", "mister"), ("mrs", "missus"), ("ms", "miss"), ("prof", "professor"))


def plan_of(chain: ChainQuestion, query: Query, memory: MemoryReader) -> Plan:
    """Return the plan of a sketch, its names looked up: at most two reads."""
    sketch = chain.sketch
    names = {place: _names(thing, sketch, place, query.speaker) for place, thing in enumerate(sketch.things)}
    titled = {place: _titled(thing) for place, thing in enumerate(sketch.things)}
    asked = list(dict.fromkeys([query.speaker, *(n for some in (*names.values(), *titled.values()) for n in some)]))
    known = memory.entities_named(asked)
    things = []
    for place, thing in enumerate(sketch.things):
        found = (
            known.get(query.speaker, [])
            if thing.is_speaker
            else [e for name in names[place] for e in known.get(name, [])]
            or [e for name in titled[place] for e in known.get(name, [])]
        )
        entities = tuple({entity.id: entity for entity in found}.values())
        value = thing.value or (thing.names[0] if thing.names and not entities else "")
        if not value and not entities and _is_bare(place, chain):
            value = thing.words
        things.append(Thing(thing.words, thing.noun, entities, value))
    # "My sister Maya" presupposes that she is: only her name is looked for.
    links = tuple(
        link
        for link in sketch.links
        if not (
            link.is_role
            and things[link.source].known
            and things[link.target].known
            and sketch.things[link.target].names
        )
    )
    return Plan(tuple(things), links, tuple(sketch.apart))


def _names(thing: Sketched, sketch: Sketch, place: int, speaker: str) -> list[str]:
    """Return by which names a thing may be remembered: its own, and "Ana's best friend" where a role tells who is meant."""
    found = [thing.words] if thing.noun and _is_target_only(place, sketch.links) else []
    for name in thing.names:
        title, _, rest = name.partition(" ")
        found += [name, *([f"{thing.noun} {name}"] if thing.noun else [])]
        found += _untitled(title.lower().rstrip("."), rest) if rest else []
    for link in sketch.links:
        owner = sketch.things[link.source]
        if link.target == place and link.is_role and len(link.words.split()) > 1 and "favo" not in link.words:
            owners = [speaker] if owner.is_speaker else list(owner.names)
            found += [f"{one}'s {link.words}" for one in owners]
    return found


def _titled(thing: Sketched) -> list[str]:
    """Return a surname with each title: "Sahin" may be remembered as Dr Sahin."""
    surnames = [name for name in thing.names if name[:1].isupper() and " " not in name]
    return [f"{one.capitalize()} {name}" for name in surnames for group in _TITLES for one in group]


def _untitled(title: str, rest: str) -> list[str]:
    """Return a name without its article or title, and with the other spellings of the title."""
    spellings = next((group for group in _TITLES if title in group), ())
    if not spellings and title not in {"the", "a", "an"} and not relation_of(title):
        return []
    return [rest, *(f"{one.capitalize()}{dot} {rest}" for one in spellings for dot in ("", "."))]


def _is_target_only(place: int, links: Sequence[Link]) -> bool:
    """Return whether a thing is nothing but what one verb is said to: "garden furniture" in "makes garden furniture"."""
    about = [link for link in links if place in (link.source, link.target)]
    return len(about) == 1 and about[0].target == place and not about[0].is_role


def _is_bare(place: int, chain: ChainQuestion) -> bool:
    thing = chain.sketch.things[place]
    return place != chain.answer and bool(thing.noun) and _is_target_only(place, chain.sketch.links)


def shortest_ways(starts: Sequence[End], goals: Sequence[End], triples: Sequence[Triple]) -> list[tuple[Triple, ...]]:
    """Return the shortest ways over triples, whatever way each points, between any of two groups of ends."""
    around: dict[str, list[tuple[str, Triple]]] = {}
    for triple in triples:
        first, second = subject_end(triple).key, object_end(triple).key
        around.setdefault(first, []).append((second, triple))
        around.setdefault(second, []).append((first, triple))
    wanted = {end.key for end in goals}
    waiting: deque[tuple[str, tuple[Triple, ...]]] = deque((end.key, ()) for end in starts)
    depth = {end.key: 0 for end in starts}
    ways: list[tuple[Triple, ...]] = []
    while waiting:
        at, way = waiting.popleft()
        if at in wanted and way:
            ways.append(way)
        if ways and len(way) >= len(ways[0]):
            continue
        for key, triple in around.get(at, ()):
            if depth.setdefault(key, len(way) + 1) == len(way) + 1:
                waiting.append((key, (*way, triple)))
    return [way for way in ways if len(way) == len(ways[0])]
