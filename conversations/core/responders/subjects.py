"""Whom and what a question speaks of: mentions become entities of the memory.

A name or an alias is looked up; "my sister" follows the relation, so that several are found and a former one is not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from conversations.core.types import Query
from memory.core.knowledge_graph.matching import Given, best_predicate, of_time
from memory.core.knowledge_graph.modifiers import meant
from memory.core.knowledge_graph.ontology import PREDICATES, relation_of
from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_predicates import predicates_of_noun
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import MemoryReader
from memory.core.types import AskedTime, Entity, Polarity, Triple

TRIPLE_LIMIT = 200


@dataclass(frozen=True)
class Subject:
    """The entities that the subject of a question may be, and by which names a sentence may speak of them.

    `relation` are the triples that led there ("your sister is Maya").
    """

    entities: tuple[Entity, ...] = ()
    names: tuple[str, ...] = ()
    relation: tuple[Triple, ...] = ()


@dataclass(frozen=True)
class Names:
    known: dict[str, list[Entity]] = field(default_factory=dict)

    def of(self, *texts: str) -> list[Entity]:
        found: dict[int, Entity] = {}
        for text in texts:
            for entity in self.known.get(text, ()):
                found.setdefault(entity.id, entity)
        return list(found.values())


def look_up(question: GraphQuestion, query: Query, memory: MemoryReader) -> Names:
    mentions = [mention for mention in (question.subject, question.value) if mention is not None]
    texts = dict.fromkeys(text for mention in mentions for text in _names_of(mention, query.speaker))
    return Names(memory.entities_named(list(texts)) if texts else {})


def _names_of(mention: QuestionTerm, speaker: str) -> list[str]:
    if mention.is_speaker:
        return [speaker]
    if mention.owner is None:
        bare = mention.text
        title, _, name = bare.partition(" ")
        # Aunt Rosa is remembered as Rosa, who is an aunt.
        untitled = [name] if name and relation_of(title) else []
        return [bare, *([bare.lower()] if bare != bare.lower() else []), *untitled]
    owner = speaker if mention.owner.is_speaker else mention.owner.text
    role = mention.text.lower()
    own = [mention.text] if mention.text[:1].isupper() else []
    return [*own, f"{owner}'s {role}", *_names_of(mention.owner, speaker)]


def find_subject(question: GraphQuestion, query: Query, names: Names, memory: MemoryReader) -> Subject:
    if question.subject is None:
        return Subject()
    return _resolve(question.subject, query, names, memory)


def _resolve(mention: QuestionTerm, query: Query, names: Names, memory: MemoryReader) -> Subject:
    if mention.is_speaker:
        return Subject(tuple(names.of(query.speaker)), (query.speaker,))
    if mention.owner is None:
        entities = names.of(*_names_of(mention, query.speaker))
        return Subject(tuple(_preferred(entities)), (mention.text,))
    owner = _resolve(mention.owner, query, names, memory)
    role = mention.text.lower()
    relation = _related(mention, owner, memory, query.asked_at)
    if relation:
        wanted = [Entity(t.object_id, t.object, t.object_kind) for t in relation if t.object_id is not None]
        return Subject(tuple(wanted), (role, *(entity.label for entity in wanted)), (*owner.relation, *relation))
    aliases = [
        f"{owner_name}'s {role}" for owner_name in dict.fromkeys([*owner.names, *(e.label for e in owner.entities)])
    ]
    entities = names.of(*aliases)
    if not entities and not mention.owner.is_speaker and owner.entities:
        entities = Names(memory.entities_named(aliases)).of(*aliases)
    return Subject(tuple(entities), (role, *(entity.label for entity in entities)), owner.relation)


def _related(mention: QuestionTerm, owner: Subject, memory: MemoryReader, at: datetime) -> list[Triple]:
    relations = predicates_of_noun(mention.text)
    if relations and not any(name in PREDICATES and name != "owns" for name in relations):
        # "My bike" is no kind of relation: it is what is owned under that name.
        relations = (*relations, "owns", "drives")
    if not owner.entities or not relations:
        return []
    triples = memory.triples_about(
        [entity.id for entity in owner.entities], predicates=relations, include_superseded=True, limit=TRIPLE_LIMIT
    )
    asked_former = (mention.text.lower().split() or [""])[0] in {"old", "former", "previous", "ex"}
    when = AskedTime.PAST if asked_former else AskedTime.NOW
    question = GraphQuestion(text="", wanted=Wanted.VALUE, predicates=relations, when=when)
    positive = [t for t in of_time(question, triples, at=at) if t.polarity is Polarity.POSITIVE and not t.is_any]
    if not asked_former:
        positive = meant(positive, mention.text)
    # Among all that somebody owns, "my bike" is only what is called so.
    thing = content_stems(mention.text.split()[-1])
    if thing:
        is_car = "drives" in relations
        named = {"owns"} if is_car else {"owns", "drives"}
        positive = [t for t in positive if t.predicate not in named or thing <= content_stems(t.object)]
    return best_predicate(question, positive)


def _preferred(entities: Sequence[Entity]) -> list[Entity]:
    """Return the speakers among entities of one name before the rest: a person who talks is who is meant."""
    return sorted(entities, key=lambda entity: not entity.is_speaker)


def find_given(question: GraphQuestion, query: Query, names: Names) -> Given:
    mention = question.value
    if mention is None:
        return Given()
    text = query.speaker if mention.is_speaker else mention.text
    return Given(text, frozenset(entity.id for entity in names.of(*_names_of(mention, query.speaker))))
