"""The stages of a round's maintenance, in order: sentences, sentence graph, sessions, graph, senses, digests.

A stage computes first, outside any transaction, and returns what writes its result; the caller runs that in one short
transaction. Each can be run again: what it writes replaces, or adds nothing to, what an earlier run wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memory import bootstrap
from memory.bootstrap.roles import DETECT_CONFLICTS, EXTRACT_FACTS, RULE_BASED, WRITE_STATEMENT
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.statement.share import assistant_share
from memory.core.types import (
    DialogueRound,
    GraphFragment,
    Role,
    Span,
    Statement,
    Supersession,
    Utterance,
    WordInContext,
)
from memory.models import EntityRecord, Round, SentenceRecord, TripleRecord, Turn
from memory.services.conflict_cases import conflict_cases
from memory.services.digests import write_digests
from memory.services.graph import fragments_commit
from memory.services.replacements import replacements_resolve
from memory.services.round_words import recent_context, round_sentences, utterances
from memory.services.sentence_graph import embedder_claim, index_round, words_withdraw
from memory.services.session_index import index_session
from memory.stores import ontology_of

Write = Callable[[], None]


def store_sentences(round: Round) -> Write:
    """Segment and embed the round's turns; the write replaces whatever sentences they had."""
    turns = list(Turn.objects.filter(round=round))
    segmented = bootstrap.segmenter().segment_many([turn.text for turn in turns])
    texts = [sentence.text for sentences in segmented for sentence in sentences]
    embedder = bootstrap.space_embedder(round.space_id)
    vectors = iter(embedder.embed(texts))
    rows = [
        SentenceRecord(
            space_id=round.space_id,
            turn=turn,
            index=index,
            start=sentence.span.start,
            end=sentence.span.end,
            text=sentence.text,
            embedding=next(vectors),
        )
        for turn, sentences in zip(turns, segmented, strict=True)
        for index, sentence in enumerate(sentences)
    ]

    def write() -> None:
        embedder_claim(round.space_id, embedder.name)
        if SentenceRecord.objects.filter(turn__in=turns).exists():
            words_withdraw(round.space_id, round_ids=[round.pk])
            SentenceRecord.objects.filter(turn__in=turns).delete()
        SentenceRecord.objects.bulk_create(rows, batch_size=500)

    return write


def update_graph(round: Round) -> Write:
    """Read what the round says; the write merges it into the graph (D-SMART, Equation 2) and keeps the statement."""
    sentences = round_sentences(round)
    engine = bootstrap.engine(round.engine)
    said = DialogueRound(tuple(utterances(sentences)))
    context = recent_context(round)
    own = own_words([*context, *said.sentences])[len(context) :]
    foreign = [sentence.pk for sentence, is_own in zip(sentences, own, strict=True) if not is_own]
    [statement] = engine.player(WRITE_STATEMENT).write_many([said])
    read = read_round(said, statement, engine, context=context)
    fragments = replacements_resolve(round=round, sentences=sentences, fragments=read)
    ontology = ontology_of(round.space_id)
    verdicts: list[Supersession] = []
    if engine.kind_of(DETECT_CONFLICTS) != RULE_BASED:  # The update itself knows the rules.
        detector = engine.player(DETECT_CONFLICTS)(space_id=round.space_id, ontology=ontology)
        asked = conflict_cases(space_id=round.space_id, sentences=sentences, fragments=fragments, ontology=ontology)
        found = detector.find_many([one.case for one in asked])
        verdicts = [one.as_read(verdict) for one, judged in zip(asked, found, strict=True) for verdict in judged]

    def write() -> None:
        Round.objects.filter(pk=round.pk).update(statement=statement.text)
        SentenceRecord.objects.filter(pk__in=foreign, turn__role=Role.USER).update(is_own=False)
        fragments_commit(round=round, sentences=sentences, fragments=fragments, verdicts=verdicts)

    return write


def read_round(
    said: DialogueRound, statement: Statement, engine: bootstrap.Engine, *, context: Sequence[Utterance]
) -> list[GraphFragment]:
    """Return one fragment a sentence: of the user's from their own words, of the assistant's from the statement.

    Only what a language model states is read for the assistant's half: of an essayist's prose the rules would keep half a
    sentence.
    """
    extractor = engine.player(EXTRACT_FACTS)
    fragments = extractor.extract_many(said.sentences, context=context)
    share = assistant_share(statement, said)
    if engine.kind_of(WRITE_STATEMENT) == RULE_BASED or not share.sentences:
        return fragments
    told = [
        replace(said.sentences[place], role=Role.USER, text=text)
        for text, place in zip(share.sentences, share.sources, strict=True)
    ]
    read = list(fragments)
    for place, fragment in zip(share.sources, extractor.extract_many(told), strict=True):
        whole = Span(0, len(said.sentences[place].text))
        facts = (replace(fact, span=whole) for fact in fragment.facts if not fact.subject.is_speaker)
        read[place] = GraphFragment((*read[place].facts, *facts))
    return read


def find_senses(round: Round) -> Write:
    """Give the round's entities their word senses (D-SMART, Algorithm 1, lines 8 to 20); nothing without a WordNet."""
    finder = bootstrap.sense_finder()
    words = words_without_sense(round) if finder is not None else {}
    if finder is None or not words:
        return lambda: None
    senses = dict(zip(words, finder.find_many(list(words.values())), strict=True))

    def write() -> None:
        for entity_id, sense in senses.items():
            if sense is not None:
                EntityRecord.objects.filter(pk=entity_id, synset="").update(
                    synset=sense.synset, supersense=sense.supersense, dul_class=sense.dul_class
                )

    return write


STAGES: tuple[tuple[str, Callable[[Round], Write]], ...] = (
    ("sentences", store_sentences),
    ("sentence_graph", index_round),
    ("sessions", index_session),
    ("graph", update_graph),
    ("senses", find_senses),
    ("digests", write_digests),
)


def remaining_stages(done: str) -> list[tuple[str, Callable[[Round], Write]]]:
    """Return the stages that a round lacks whose last committed stage is `done`; all for an empty name."""
    names = [name for name, _ in STAGES]
    return list(STAGES[names.index(done) + 1 :]) if done in names else list(STAGES)


def words_without_sense(round: Round) -> dict[int, WordInContext]:
    """Return the word of each entity of the round's triples that has no sense yet, by the entity's id.

    People go without: their class is known. Of proper names only those of places are looked up.
    """
    triples = TripleRecord.objects.filter(round=round).select_related("subject", "object", "sentence")
    ends = [
        (end, triple.sentence.text)
        for triple in triples.defer("sentence__embedding", "sentence__search")
        for end in (triple.subject, triple.object)
    ]
    return {
        entity.pk: WordInContext(lemma=entity.label, pos=entity.pos, sentence=text)
        for entity, text in ends
        if entity is not None
        and not entity.synset
        and not entity.is_speaker
        and (entity.pos == "NOUN" or (entity.pos == "PROPN" and entity.kind == "Place"))
    }
