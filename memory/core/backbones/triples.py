"""Triples as backbones read and remember them: entities by name, and what new words contradict or replace."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memory.core.english.grammatical_person import FIRST_PERSON
from memory.core.naming import key_of
from memory.core.ports import ConflictDetector, KnowledgeExtractor, SentenceSegmenter
from memory.core.types import (
    ConflictCase,
    Entity,
    Fact,
    GraphFragment,
    Modality,
    Node,
    RetrievalQuery,
    SourceSentence,
    Triple,
    Utterance,
)

LONGEST_NAME = 4  # words
CANDIDATES = 64
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


class TripleReader:
    """Reads triples out of what is said, by the role `extract_facts`. Only what is asserted is a triple."""

    def __init__(self, *, segmenter: SentenceSegmenter, extractor: KnowledgeExtractor) -> None:
        self._segmenter = segmenter
        self._extractor = extractor
        self._sentences = 0
        self._triples = 0
        self._entities: dict[str, Entity] = {}

    def sentences_of(self, turns: Sequence[Utterance]) -> list[SourceSentence]:
        """Return the sentences of turns, numbered on; `turn_id` is the place of the turn among the given ones."""
        found = [
            (place, turn, span.text)
            for place, (turn, spans) in enumerate(
                zip(turns, self._segmenter.segment_many([turn.text for turn in turns]), strict=True)
            )
            for span in spans
        ]
        first, self._sentences = self._sentences + 1, self._sentences + len(found)
        return [
            SourceSentence(number, text, turn.speaker, turn.said_at, place, turn.role)
            for number, (place, turn, text) in enumerate(found, start=first)
        ]

    def read(self, sentences: Sequence[SourceSentence]) -> list[list[tuple[Fact, Triple]]]:
        """Return of each sentence its facts, each with the triple that it would be. Raises a `LanguageModelError`."""
        fragments = self._extractor.extract_many([uttered(one) for one in sentences]) if sentences else []
        return [
            [(fact, self._triple(fact, one)) for fact in fragment.facts if fact.modality is Modality.ASSERTED]
            for one, fragment in zip(sentences, fragments, strict=True)
        ]

    def of_turns(self, turns: Sequence[Utterance]) -> list[list[Triple]]:
        found: list[list[Triple]] = [[] for _ in turns]
        sentences = self.sentences_of(turns)
        for sentence, facts in zip(sentences, self.read(sentences), strict=True):
            found[sentence.turn_id] += [triple for _, triple in facts]
        return found

    def named(self, mentions: Iterable[str]) -> dict[str, list[Entity]]:
        return {mention: [self._entities[key]] for mention in mentions if (key := key_of(mention)) in self._entities}

    def _entity(self, node: Node) -> Entity:
        """Return the entity of a node: one that has its label or an alias of it as a name, else a new one."""
        names = [key_of(name) for name in (node.label, *node.aliases)]
        known = next((self._entities[name] for name in names if name in self._entities), None)
        entity = known or Entity(len(self._entities) + 1, node.label, node.kind, node.is_speaker)
        for name in names:
            self._entities.setdefault(name, entity)
        return entity

    def _triple(self, fact: Fact, said: SourceSentence) -> Triple:
        self._triples += 1
        return Triple(
            id=self._triples,
            subject=self._entity(fact.subject),
            predicate=fact.predicate,
            object=fact.object.label,
            object_id=None if fact.object.is_literal or fact.object.is_any else self._entity(fact.object).id,
            polarity=fact.polarity,
            tense=fact.tense,
            valid_from=fact.valid_from,
            valid_to=fact.valid_to,
            recorded_at=said.said_at,
            superseded_at=None,
            confidence=fact.confidence,
            source=said,
            span=fact.span,
            phrase=fact.phrase,
            object_kind=fact.object.kind,
            is_any=fact.object.is_any,
        )


class TripleMemory:
    """Remembers triples, and marks those that later words contradict or replace, by the role `detect_conflicts`."""

    def __init__(self, reader: TripleReader, *, conflicts: ConflictDetector) -> None:
        self.reader = reader
        self._conflicts = conflicts
        self._triples: dict[int, Triple] = {}
        self._about: dict[int, list[int]] = defaultdict(list)
        self._toward: dict[int, list[int]] = defaultdict(list)
        self._from: dict[int, list[int]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._triples)

    def learn(self, sentences: Sequence[SourceSentence]) -> list[Triple]:
        """Read sentences, in order, and return every triple that is new or was superseded, as it stands now."""
        changed: dict[int, Triple] = {}
        for sentence, facts in zip(sentences, self.reader.read(sentences), strict=True):
            known = self.triples_about([triple.subject.id for _, triple in facts], limit=CANDIDATES)
            for old in superseded(sentence, [fact for fact, _ in facts], known, self._conflicts):
                changed[old.id] = self._triples[old.id] = replace(old, superseded_at=sentence.said_at)
            for _, triple in facts:
                changed[triple.id] = self._triples[triple.id] = triple
                self._about[triple.subject.id].append(triple.id)
                self._from[sentence.id].append(triple.id)
                if triple.object_id is not None:
                    self._toward[triple.object_id].append(triple.id)
        return list(changed.values())

    def entities_named(self, mentions: Sequence[str]) -> dict[str, list[Entity]]:
        return self.reader.named(mentions)

    def triples_about(self, entity_ids: Sequence[int], *, as_object: bool = False, limit: int = 50) -> list[Triple]:
        """Return the active triples with one of the entities as subject (or object), newest first."""
        ends = self._toward if as_object else self._about
        newest = sorted({number for one in entity_ids for number in ends[one][-limit:]}, reverse=True)
        return [self._triples[number] for number in newest if self._triples[number].superseded_at is None][:limit]

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        found = (self._triples[number] for one in sentence_ids for number in self._from[one])
        return [triple for triple in found if triple.superseded_at is None][:limit]


def superseded(
    sentence: SourceSentence, facts: Sequence[Fact], known: Sequence[Triple], conflicts: ConflictDetector
) -> list[Triple]:
    """Return those of the known triples that a sentence contradicts or replaces."""
    if not facts or not known:
        return []
    case = ConflictCase(
        GraphFragment(tuple(facts)), tuple(known), sentence.said_at, sentence.speaker, sentence.role, sentence.text
    )
    return [found.old for found in conflicts.find_many([case])[0]]


def uttered(sentence: SourceSentence) -> Utterance:
    return Utterance(sentence.speaker, sentence.role, sentence.text, sentence.said_at)


def mentions_in(query: RetrievalQuery) -> list[str]:
    """Return the runs of words of a question that may be names, and the asker where they ask of themselves."""
    words = _WORD.findall(query.text)
    runs = [
        " ".join(words[start : start + length]) for start in range(len(words)) for length in range(1, LONGEST_NAME + 1)
    ]
    owners = [run.removesuffix("'s").removesuffix("’s") for run in runs]
    asker = [query.asked_by] if query.asked_by and FIRST_PERSON.search(query.text) else []
    return list(dict.fromkeys([*runs, *owners, *asker]))


def keys_of(triple: Triple) -> set[str]:
    """Return the keys of a triple's ends."""
    return (
        {key_of(triple.subject.label), key_of(triple.object)} if not triple.is_any else {key_of(triple.subject.label)}
    )
