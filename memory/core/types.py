"""The words of the memory core as frozen types. Every room and every port speaks in these."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Whose side of the dialogue a turn is on. Two people in a recorded dialogue are both users."""

    USER = "user"
    ASSISTANT = "assistant"


class Polarity(StrEnum):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class Modality(StrEnum):
    """How a fact was put. Only asserted facts may change what is believed."""

    ASSERTED = "asserted"
    HYPOTHETICAL = "hypothetical"
    ASKED = "asked"
    REPORTED = "reported"


class Tense(StrEnum):
    PAST = "past"
    PRESENT = "present"
    FUTURE = "future"


@dataclass(frozen=True)
class Span:
    """A half-open range of characters, [start, end), in the text that it is said of."""

    start: int
    end: int


@dataclass(frozen=True)
class Utterance:
    """One turn, or one sentence of it, as the core sees it: who said what, and when (aware datetime).

    `breaks` is the number of line breaks between a sentence and the one before it in its turn.
    """

    speaker: str
    role: Role
    text: str
    said_at: datetime
    breaks: int = 0


@dataclass(frozen=True)
class SentenceSpan:
    """One sentence of a turn and where it stands in the turn's text."""

    text: str
    span: Span


@dataclass(frozen=True)
class Token:
    """One token of a dependency parse (Universal Dependencies). `head` is an index; the root is its own head."""

    index: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    morph: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence and its dependency tree; token offsets count from the start of `text`."""

    text: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class TimeSpan:
    """A resolved date expression: [start, end) in the words' own precision ("in 2019" spans the year)."""

    start: datetime
    end: datetime


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
    """One extracted assertion: a triple that nobody has believed yet.

    `span` is a range of the sentence it was read from. `valid_from` and `valid_to` bound the time at which it holds;
    None is open. `confidence` is in [0, 1]. `phrase` is the predicate in the speaker's words ("graduated from").
    `attributed_to` names whose word a reported fact is ("Tom says that ..."); empty where it is the speaker's own.
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
class DialogueRound:
    """A round h_t of D-SMART: its sentences in order, the user's and the assistant's, each with who said it and when."""

    sentences: tuple[Utterance, ...]


@dataclass(frozen=True)
class Statement:
    """The assertion s_t distilled from a round (D-SMART, step 1).

    `sources` has one place in the round's sentences for each sentence of the statement: the one that it rests on.
    """

    sentences: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True)
class Entity:
    """An entity of a space."""

    id: int
    label: str
    kind: str = ""
    is_speaker: bool = False


@dataclass(frozen=True)
class SourceSentence:
    """A remembered sentence with who said it, in which turn, and when.

    `is_own` tells whether its speaker says it in their own voice: no quotation, pasted text, role or fiction.
    """

    id: int
    text: str
    speaker: str
    said_at: datetime
    turn_id: int
    role: Role = Role.USER
    is_own: bool = True


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


class ConflictRule(StrEnum):
    """Which rule made an old triple give way to a new one. `MODEL` is a language model's verdict."""

    FUNCTIONAL_VALUE = "functional_value"
    POLARITY = "polarity"
    DISJOINT_PROPERTIES = "disjoint_properties"
    TEMPORAL_PARADOX = "temporal_paradox"
    ENDED = "ended"
    CORRECTED = "corrected"
    MODEL = "model"


@dataclass(frozen=True)
class Supersession:
    """An active triple that a new fact replaces, and the rule that says so."""

    old: Triple
    new: Fact
    rule: ConflictRule


@dataclass(frozen=True)
class ConflictCase:
    """A fragment and the active triples that it could clash with: what the conflict detection p_c is asked about.

    `speaker` and `role` are whose words the fragment was read from: people know better than others what is true of them.
    """

    fragment: GraphFragment
    candidates: tuple[Triple, ...]
    said_at: datetime
    speaker: str = ""
    role: Role = Role.USER


@dataclass(frozen=True)
class GraphUpdate:
    """What a fragment does to the graph: facts to add, triples to supersede, facts already known.

    `overruled` are the clashes that the new fact lost, because a better word stands behind the old triple: the old one
    stays active and the new one is not added.
    """

    added: tuple[Fact, ...] = ()
    superseded: tuple[Supersession, ...] = ()
    confirmed: tuple[tuple[Fact, Triple], ...] = ()
    overruled: tuple[Supersession, ...] = ()


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
class ScoredSentence:
    """A sentence found for a query; a higher score is better, comparable within one result only."""

    sentence: SourceSentence
    score: float
    similarity: float = 0.0


class MessageRole(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Message:
    role: MessageRole
    content: str


@dataclass(frozen=True)
class Prompt:
    """What a language model is asked. `schema` is a JSON schema that the reply must follow, or None for free text."""

    messages: tuple[Message, ...]
    schema: dict[str, object] | None = field(default=None, hash=False)


@dataclass(frozen=True)
class SamplingConfig:
    """How a reply is drawn. Defaults: D-SMART, Appendix B (0.8 for generation, 0.0 for scores)."""

    temperature: float = 0.8
    max_tokens: int = 1024
    seed: int | None = None


@dataclass(frozen=True)
class Completion:
    """A language model's whole reply with what it cost; a count is None where the server does not tell."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
