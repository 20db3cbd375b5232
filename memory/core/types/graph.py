"""Types of knowledge: facts as they are extracted, entities and triples as they are stored, walks over them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory.core.types.dialogue import SourceSentence, Span, Statement


class Polarity(StrEnum):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class Modality(StrEnum):
    """How a fact was said, or `UNSURE` where it is not sure that it was. Only asserted facts may change what is believed."""

    ASSERTED = "asserted"
    HYPOTHETICAL = "hypothetical"
    ASKED = "asked"
    REPORTED = "reported"
    UNSURE = "unsure"


class Tense(StrEnum):
    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"


@dataclass(frozen=True)
class Node:
    """An end of a fact: an entity, or a literal value such as an age or a date.

    `label` is what to show. `aliases` are other ways to name the same entity ("Ana's sister" for Maya); a store
    takes two nodes that share a label or an alias for one entity, unless their kinds exclude each other. `kind` is
    a class of the ontology ("Person", "Place", ...) or empty where nothing is known. `is_any` marks the object of a
    negative fact that names nothing in particular: (Ana, worksFor, any) denied is "Ana has no employer any more" and ends
    every active value. `lemma` and `pos` belong to the head word and feed the lexical enrichment.
    """

    label: str
    kind: str = ""
    aliases: tuple[str, ...] = ()
    is_literal: bool = False
    is_speaker: bool = False
    is_any: bool = False
    lemma: str = ""
    pos: str = ""


@dataclass(frozen=True)
class Fact:
    """An extracted assertion that is not stored yet.

    `span` is a range of its sentence. `valid_from` and `valid_to` bound the time at which it holds; None is open.
    `confidence` is in [0, 1]. `phrase` is the predicate in the speaker's words ("graduated from"). `attributed_to` names the
    person whom a reported fact is from ("Tom says that ..."); empty where the speaker asserts it.
    """

    subject: Node
    predicate: str
    object: Node
    span: Span
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ASSERTED
    tense: Tense = Tense.PRESENT
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence: float = 1.0
    phrase: str = ""
    attributed_to: str = ""


@dataclass(frozen=True)
class GraphFragment:
    """What one sentence or statement adds: the G'_t of D-SMART."""

    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class ReadRound:
    """What a round states: one fragment a sentence, and the statement. `fault` says why a part of it could not be read."""

    fragments: tuple[GraphFragment, ...]
    statement: Statement
    fault: str = ""


@dataclass(frozen=True)
class Entity:
    """An entity of a space."""

    id: int
    label: str
    kind: str = ""
    is_speaker: bool = False


@dataclass(frozen=True)
class Triple:
    """A remembered triple with its whole provenance.

    `object_id` is None for a literal. `superseded_at` is None while the triple is active; a triple with a `valid_to` in
    the past is active but does not hold now.
    """

    id: int
    subject: Entity
    predicate: str
    object: str
    object_id: int | None
    polarity: Polarity
    tense: Tense
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime
    superseded_at: datetime | None
    confidence: float
    source: SourceSentence
    span: Span
    phrase: str = ""
    object_kind: str = ""
    is_any: bool = False
    modality: Modality = Modality.ASSERTED
    attributed_to: str = ""
    round_id: int = 0


@dataclass(frozen=True)
class LearntTriple:
    """A triple that was stored, and those that it replaced."""

    triple: Triple
    replaced: tuple[Triple, ...] = ()


@dataclass(frozen=True)
class Learnt:
    """What a message taught: the triples that hold since, each with what it replaced."""

    triples: tuple[LearntTriple, ...] = ()


class Axiom(StrEnum):
    """A kind of OWL 2 RL axiom that the consistency check knows."""

    FUNCTIONAL = "functional"
    ASYMMETRIC = "asymmetric"
    IRREFLEXIVE = "irreflexive"
    DISJOINT_PROPERTIES = "disjoint_properties"
    DISJOINT_CLASSES = "disjoint_classes"
    NEGATIVE_ASSERTION = "negative_assertion"
    DATATYPE = "datatype"


@dataclass(frozen=True)
class Violation:
    """An axiom that triples break together. `terms` are the predicates or classes that it speaks of."""

    axiom: Axiom
    terms: tuple[str, ...]
    triples: tuple[Triple | Fact, ...]


@dataclass(frozen=True)
class WordInContext:
    """A word to find the sense of: its lemma, its Universal Dependencies part of speech, the sentence it stands in."""

    lemma: str
    pos: str
    sentence: str


@dataclass(frozen=True)
class WordSense:
    """What a word means: a WordNet 3.0 synset, its supersense, and the DUL class that both align to.

    `synset` is written as Framester does ("bank-noun-1"), `supersense` as WordNet does ("noun.group"); `check_class` is the
    deliberately weak class that a consistency check may rely on.
    """

    synset: str
    supersense: str
    dul_class: str
    check_class: str
    gloss: str = ""


@dataclass(frozen=True)
class Expansion:
    """The neighbourhood of entities in the current graph, nearest first. `is_capped` where a limit left triples out."""

    triples: tuple[Triple, ...] = ()
    is_capped: bool = False


@dataclass(frozen=True)
class GraphPath:
    """Consecutive triples from one entity to another; each may point either way."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True)
class PathSearch:
    """The shortest paths between two entities. `is_capped` where a limit stopped the search early."""

    paths: tuple[GraphPath, ...] = ()
    is_capped: bool = False


class TopicKind(StrEnum):
    """How a fact speaks of a topic: as something that somebody does, likes, or only names."""

    DONE = "done"
    LIKED = "liked"
    NAMED = "named"


@dataclass(frozen=True)
class Topic:
    """A topic of a fact, and whose it is. Facts with equal `key` have the same topic.

    `words` complete the person's name for an activity ("goes camping"), and name the thing otherwise ("camping").
    """

    person: str
    key: str
    words: str
    kind: TopicKind
