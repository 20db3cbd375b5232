"""The sketch of a question's plan while its words are read: things and links that grow, before any memory is asked."""

from dataclasses import dataclass, field, replace

from memory.core.reasoning_tree.rule_based_plan import Link

# What a firm has somewhere, and is asked for by asking where it is.
SEATS = frozenset(
    {"office", "offices", "headquarters", "headquarter", "hq", "seat", "base", "head office", "main office"}
)


@dataclass(frozen=True)
class Sketched:
    """A thing as the words give it: its kind, its names, whether it is the speaker, its value in words.

    `span` are the tokens that name it, with everything that describes it.
    """

    words: str
    noun: str = ""
    names: tuple[str, ...] = ()
    is_speaker: bool = False
    value: str = ""
    span: tuple[int, int] = (0, 0)


@dataclass
class Sketch:
    """What was read so far. `top` are the things of the main clause, in order; `apart` those that are different."""

    things: list[Sketched] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    apart: list[tuple[int, int]] = field(default_factory=list)
    top: list[int] = field(default_factory=list)

    def add(self, thing: Sketched) -> int:
        self.things.append(thing)
        return len(self.things) - 1

    def speaker(self, span: tuple[int, int]) -> int:
        """Return the place of the speaker, who is one thing however often the question says "my"."""
        for place, thing in enumerate(self.things):
            if thing.is_speaker:
                return place
        return self.add(Sketched("you", is_speaker=True, span=span))

    def link(self, source: int, target: int, words: str, *, is_role: bool = False) -> None:
        made = Link(source, target, words, is_role)
        if source != target and made not in self.links:
            self.links.append(made)

    def spanned(self, place: int, start: int, end: int) -> None:
        self.things[place] = replace(self.things[place], span=(start, end))

    def named(self, place: int, name: str) -> None:
        thing = self.things[place]
        self.things[place] = replace(thing, names=(*thing.names, name))

    def merge(self, gone: int, kept: int) -> None:
        """Let one thing be another: "who is the owner of the bakery"."""
        self.links = [
            replace(link, source=_moved(link.source, gone, kept), target=_moved(link.target, gone, kept))
            for link in self.links
        ]
        self.things[kept] = replace(
            self.things[kept],
            noun=self.things[kept].noun or self.things[gone].noun,
            names=(*self.things[kept].names, *self.things[gone].names),
        )

    def twin(self, place: int) -> int:
        """Return another thing of the same description: the second of "any two of my friends"."""
        other = self.add(self.things[place])
        for link in list(self.links):
            if place in (link.source, link.target):
                self.link(
                    _moved(link.source, place, other),
                    _moved(link.target, place, other),
                    link.words,
                    is_role=link.is_role,
                )
        self.apart.append((place, other))
        return other

    def seat(self) -> None:
        """Read where a firm's office is as where the firm has it: one link instead of two."""
        for role in [link for link in self.links if link.is_role and link.words in SEATS]:
            onward = [link for link in self.links if link.source == role.target and link.words.startswith("be ")]
            if len(onward) == 1:
                words = onward[0].words.replace("be ", f"have {role.words} ", 1)
                self.links = [link for link in self.links if link not in (role, onward[0])]
                self.link(role.source, onward[0].target, words)
                self.top = [role.source if place == role.target else place for place in self.top]

    def is_described(self, place: int) -> bool:
        """Return whether a thing is known by what is said of it only, so that it has to be found."""
        thing = self.things[place]
        return not (thing.names or thing.is_speaker or thing.value)


def _moved(place: int, gone: int, kept: int) -> int:
    return kept if place == gone else place
