"""Adding a fact by hand."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memory.core.english.grammatical_person import MYSELF
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.naming import key_of
from memory.core.types import Fact, Node, Polarity, Span, Tense
from memory.models import EditRecord, Space, TripleRecord
from memory.services.accounts import speaker_name
from memory.services.edits.audit import EditRefused, edit_write
from memory.services.edits.journal import Journal
from memory.services.edits.utterances import utterance_merge, utterance_of
from memory.services.edits.wording import predicate_of, quoted, sentence_of_fact, words_checked
from memory.services.entities import LABEL_LIMIT
from memory.services.graph import VALUE_LIMIT
from memory.services.spaces import space_lock

# Classes that are no kind of an entity: a node of an unknown kind may turn out to be any of theirs.
WIDE = frozenset({"Agent", "Literal"})


def triple_add(
    *,
    space: Space,
    subject: str,
    predicate: str,
    value: str,
    by: User,
    is_negative: bool = False,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
) -> TripleRecord:
    """Add a fact by hand and return its triple; whatever it contradicts is superseded, with a conflict on record.

    `predicate` is a name ("livesIn") or a phrase ("lives in"). Raises `EditRefused` for a fact that cannot be written as one,
    or that is remembered already.
    """
    speaker = speaker_name(by)
    fact = fact_by_hand(
        subject=subject_node(subject, speaker=speaker),
        predicate=predicate_of(predicate),
        value=words_checked(value, what="what is so", limit=VALUE_LIMIT),
        phrase=" ".join(predicate.split()),
        is_negative=is_negative,
        valid_from=valid_from,
        valid_to=valid_to,
    )
    text = sentence_of_fact(fact, at=timezone.now())
    said = utterance_of(fact, text=text, speaker=speaker, space_id=space.pk, done="added")
    with transaction.atomic():
        space_lock(space.pk)
        journal = Journal(space.pk)
        outcome = utterance_merge(said, space=space, journal=journal)
        if outcome.round is None:
            raise EditRefused("This is remembered already.")
        edit_write(
            journal,
            kind=EditRecord.Kind.ADD,
            summary=f"Added {quoted(said.text.removesuffix('.'))}.",
            by=by,
            entities=[outcome.triple.subject_id],
        )
    return outcome.triple


def subject_node(subject: str, *, speaker: str) -> Node:
    """Return the node for the subject of a fact that is written by hand; "I" means the speaker."""
    label = words_checked(subject, what="who or what it is about", limit=LABEL_LIMIT)
    if label.lower() in MYSELF or key_of(label) == key_of(speaker):
        return Node(speaker, kind="Person", is_speaker=True)
    if not key_of(label):
        raise EditRefused("Write who or what it is about in words.")
    return Node(label)


def fact_by_hand(
    *,
    subject: Node,
    predicate: str,
    value: str,
    phrase: str,
    is_negative: bool = False,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
) -> Fact:
    """Return the fact that a person asserts, its nodes typed with the classes that the predicate expects."""
    if valid_from is not None and valid_to is not None and valid_to < valid_from:
        raise EditRefused("It cannot end before it begins. Change one of the two times.")
    known = predicate_named(predicate)
    kind = subject.kind or ("" if known.domain in WIDE else known.domain)
    is_to_come = valid_from is not None and valid_from > timezone.now()
    return Fact(
        subject=Node(subject.label, kind=kind, is_speaker=subject.is_speaker),
        predicate=predicate,
        object=value_node(predicate, value),
        span=Span(0, 0),
        polarity=Polarity.NEGATIVE if is_negative else Polarity.POSITIVE,
        tense=Tense.FUTURE if is_to_come else Tense.PRESENT,
        valid_from=valid_from,
        valid_to=valid_to,
        phrase=phrase,
    )


def value_node(predicate: str, value: str) -> Node:
    """Return the node for a fact's object: a literal if the predicate takes one or the words are a number, else an entity."""
    asked = predicate_named(predicate).range
    is_number = value.isascii() and not any(char.isalpha() for char in value)
    if asked == "Literal" or len(value) > LABEL_LIMIT or not asked and is_number:
        return Node(value, is_literal=True)
    return Node(value, kind="" if asked in WIDE else asked)
