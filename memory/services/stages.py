"""The stages of a round's maintenance, in order: its words, the graph, what they link to, what is distilled of both.

A stage ends where something is to be kept even if what follows fails: words without a model, facts without digests. It
computes first, outside any transaction, and returns what writes its result; the caller runs that in one short transaction.
Each can be run again: what it writes replaces, or adds nothing to, what an earlier run wrote. The first two may be run of the
person's words alone, before the reply to them is there (`hearing`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from django.db import transaction

from memory import bootstrap
from memory.bootstrap.roles import (
    DETECT_CONFLICTS,
    EXTRACT_FACTS,
    LEARNED,
    PROMPTED,
    READ_ROUND,
    RULE_BASED,
    WRITE_STATEMENT,
)
from memory.core.english.questions import only_asks
from memory.core.errors import LanguageModelError
from memory.core.knowledge_graph.conflict.prompted import PromptedConflictDetector
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.conflict.whole_graph import WholeGraphConflictDetector
from memory.core.knowledge_graph.extraction.gate import own_words
from memory.core.knowledge_graph.statement.share import assistant_share
from memory.core.ports import RoundReader
from memory.core.types import (
    DialogueRound,
    GraphFragment,
    ReadRound,
    Role,
    Span,
    Statement,
    Supersession,
    Utterance,
    WordInContext,
)
from memory.models import EntityRecord, Round, SentenceRecord, Space, TripleRecord, Turn
from memory.services import chunk_index
from memory.services.conflict_cases import conflict_cases, sentence_cases
from memory.services.digests import words_to_sum_up, write_digests
from memory.services.graph import fragments_commit
from memory.services.reach import round_to_read
from memory.services.replacements import replacements_resolve
from memory.services.round_words import RoundReading, Write, write_nothing
from memory.services.sentence_graph import (
    embedder_claim,
    glance_begin,
    index_promise,
    link_words,
    words_to_link,
    words_withdraw,
)
from memory.services.state_bridge import graph_follow
from memory.services.step_times import step
from memory.stores import ontology_of

Stage = Callable[[RoundReading], Write]


def store_words(reading: RoundReading) -> Write:
    """Segment the round's turns and embed all that is indexed of them; the write replaces whatever words they had."""
    round, space = reading.round, reading.space
    embedder = bootstrap.space_embedder(space.pk, known=space.embedder)
    with step("sentences"):
        sentences = segmented(reading.turns)
    with step("embeddings"):
        texts = chunk_index.round_texts(reading, sentences)
        wanted = [*(texts.embedded if texts is not None else ()), *(sentence.text for sentence in sentences)]
        vectors = chunk_index.embedded(wanted, embedder=embedder)
    for sentence in sentences:
        sentence.embedding = vectors[sentence.text]
    glance_begin(reading, sentences)
    with step("postings"):
        entry = chunk_index.round_entry(reading, texts, vectors)

    def write(now: Space) -> None:
        embedder_claim(now, embedder.name)
        is_again = SentenceRecord.objects.filter(turn__in=reading.turns).exists()
        if is_again:
            words_withdraw(space.pk, round_ids=[round.pk])
            SentenceRecord.objects.filter(turn__in=reading.turns).delete()
        with step("sentences"):
            SentenceRecord.objects.bulk_create(sentences, batch_size=500)
        if entry.revision != now.index_revision:
            index_promise(space.pk)
        else:
            with step("postings"):
                chunk_index.round_add(entry, is_again=is_again)
        reading.sentences = sentences

    return write


def link(reading: RoundReading) -> Write:
    """Store the words of a reply that came after the round was heard, and find the edges of the round's sentences.

    What the graph has of the round by now, the state of its session refers to.
    """
    graph_follow(space_id=reading.space.pk, round=reading.round)
    late_write = store_late_words(reading)
    links_write = link_words(reading)

    def write(space: Space) -> None:
        links_write(space)
        late_write(space)

    return write


def store_late_words(reading: RoundReading) -> Write:
    """Segment and embed the turns that have no sentences yet. The product's own words are all that comes so late."""
    stored = {sentence.turn_id for sentence in reading.sentences}
    late = segmented([turn for turn in reading.turns if turn.is_generated and turn.pk not in stored])
    if not late:
        return write_nothing
    embedder = bootstrap.space_embedder(reading.space.pk, known=reading.space.embedder)
    with step("embeddings"):
        vectors = chunk_index.embedded([sentence.text for sentence in late], embedder=embedder)
    for sentence in late:
        sentence.embedding = vectors[sentence.text]

    def write(_: Space) -> None:
        SentenceRecord.objects.bulk_create(late, batch_size=500)

    return write


def segmented(turns: Sequence[Turn]) -> list[SentenceRecord]:
    """Return the sentences of turns, in order, not stored yet."""
    spans = bootstrap.segmenter().segment_many([turn.text for turn in turns])
    return [
        SentenceRecord(
            space_id=turn.space_id,
            turn=turn,
            index=index,
            start=sentence.span.start,
            end=sentence.span.end,
            text=sentence.text,
            is_evidence=not (turn.is_generated or only_asks(sentence.text)),
        )
        for turn, sentences in zip(turns, spans, strict=True)
        for index, sentence in enumerate(sentences)
    ]


def update_graph(reading: RoundReading) -> Write:
    """Read what the round says; the write merges it into the graph (D-SMART, Equation 2) and keeps the statement."""
    round, sentences, context = reading.round, reading.sentences, reading.context
    engine = bootstrap.engine(bootstrap.still_served(round.engine))
    said = DialogueRound(tuple(reading.said))
    own = own_words([*context, *said.sentences])[len(context) :]
    foreign = [sentence.pk for sentence, is_own in zip(sentences, own, strict=True) if not is_own]
    reader = whole_reader(engine)
    read = read_apart(said, context, engine) if reader is None else read_whole(reading, reader)
    statement = read.statement
    if read.fault:
        reading.fell_short("A part of this round could not be read.", read.fault)
    fragments = replacements_resolve(round=round, sentences=sentences, fragments=read.fragments)
    with step("conflicts"):
        judgement = judged(reading, fragments, engine, own=own)

    def write(_: Space) -> None:
        round.statement, round.statement_sources = (
            "\n".join(" ".join(one.split()) for one in statement.sentences),
            list(statement.sources),
        )
        Round.objects.filter(pk=round.pk).update(statement=round.statement, statement_sources=round.statement_sources)
        if foreign:
            SentenceRecord.objects.filter(pk__in=foreign, turn__role=Role.USER).update(is_own=False)
        with step("update"):
            fragments_commit(
                round=round,
                sentences=sentences,
                fragments=judgement.fragments,
                verdicts=judgement.verdicts,
                cleared=judgement.cleared,
            )

    return write


def whole_reader(engine: bootstrap.Engine) -> RoundReader | None:
    """Return who reads a round in one call, where a language model is wanted for its facts and its statement."""
    kinds = {engine.kind_of(role) for role in (EXTRACT_FACTS, WRITE_STATEMENT)}
    return engine.player(READ_ROUND) if kinds == {PROMPTED} else None


def read_whole(reading: RoundReading, reader: RoundReader) -> ReadRound:
    with step("extraction"):
        [read] = reader.read_many([round_to_read(reading)])
    return read


def read_apart(said: DialogueRound, context: Sequence[Utterance], engine: bootstrap.Engine) -> ReadRound:
    with step("extraction"):
        fragments = engine.player(EXTRACT_FACTS).extract_many(said.sentences, context=context)
    with step("statement"):
        [statement] = engine.player(WRITE_STATEMENT).write_many([said])
        return ReadRound(tuple(with_assistant_share(fragments, said, statement, engine)), statement)


@dataclass(frozen=True)
class Judgement:
    """What an engine finds in a round's fragments beyond the rules, which the update itself knows.

    `cleared` are the pairs that a language model was asked about and lets stand beside each other.
    """

    fragments: Sequence[GraphFragment]
    verdicts: Sequence[Supersession] = ()
    cleared: Sequence[Supersession] = ()


def judged(
    reading: RoundReading, fragments: Sequence[GraphFragment], engine: bootstrap.Engine, *, own: Sequence[bool]
) -> Judgement:
    """Return the engine's judgement; where its model fails, the rules alone judge, and the round says so."""
    round, sentences = reading.round, reading.sentences
    kind = engine.kind_of(DETECT_CONFLICTS)
    with transaction.atomic():
        ontology = ontology_of(round.space_id)
        detector = engine.player(DETECT_CONFLICTS)(space_id=round.space_id, ontology=ontology)
        if isinstance(detector, RuleBasedConflictDetector):
            return Judgement(fragments)
        asked = (
            sentence_cases(round=round, sentences=sentences, fragments=fragments, own=own)
            if kind == LEARNED
            else conflict_cases(space_id=round.space_id, sentences=sentences, fragments=fragments, ontology=ontology)
        )
    cases, cleared = [one.case for one in asked], []
    try:
        if isinstance(detector, PromptedConflictDetector | WholeGraphConflictDetector):
            made = detector.judge_many(cases)
            found = [list(one.superseded) for one in made]
            cleared = [
                one.as_read(pair) for one, by_model in zip(asked, made, strict=True) for pair in by_model.cleared
            ]
        else:
            found = detector.find_many(cases)
    except LanguageModelError as error:
        reading.fell_short("What conflicts was decided by the rules alone.", error)
        return Judgement(fragments)
    read = [[one.as_read(verdict) for verdict in verdicts] for one, verdicts in zip(asked, found, strict=True)]
    verdicts = list(chain.from_iterable(read))
    if kind == LEARNED:
        return Judgement(
            [with_denials(fragment, told) for fragment, told in zip(fragments, read, strict=True)], verdicts
        )
    return Judgement(fragments, verdicts, cleared)


def with_denials(fragment: GraphFragment, verdicts: Sequence[Supersession]) -> GraphFragment:
    return GraphFragment(tuple(dict.fromkeys((*fragment.facts, *(verdict.new for verdict in verdicts)))))


def with_assistant_share(
    fragments: Sequence[GraphFragment], said: DialogueRound, statement: Statement, engine: bootstrap.Engine
) -> Sequence[GraphFragment]:
    """Return the fragments of a round's sentences, the user's own words, with what the statement has of the assistant's.

    Only what a language model states is read for the assistant's half: of an essayist's prose the rules would keep half a
    sentence.
    """
    share = assistant_share(statement, said)
    if engine.kind_of(WRITE_STATEMENT) == RULE_BASED or not share.sentences:
        return fragments
    told = [
        replace(said.sentences[place], role=Role.USER, text=text)
        for text, place in zip(share.sentences, share.sources, strict=True)
    ]
    read = list(fragments)
    for place, fragment in zip(share.sources, engine.player(EXTRACT_FACTS).extract_many(told), strict=True):
        whole = Span(0, len(said.sentences[place].text))
        facts = (replace(fact, span=whole) for fact in fragment.facts if not fact.subject.is_speaker)
        read[place] = GraphFragment((*read[place].facts, *facts))
    return read


def find_senses(reading: RoundReading) -> Write:
    """Give the round's entities their word senses (D-SMART, Algorithm 1, lines 8 to 20); nothing without a WordNet."""
    finder = bootstrap.sense_finder()
    words = reading.once(words_without_sense) if finder is not None else {}
    if finder is None or not words:
        return write_nothing
    senses = dict(zip(words, finder.find_many(list(words.values())), strict=True))

    def write(_: Space) -> None:
        for entity_id, sense in senses.items():
            if sense is not None:
                EntityRecord.objects.filter(pk=entity_id, synset="").update(
                    synset=sense.synset, supersense=sense.supersense, dul_class=sense.dul_class
                )

    return write


def words_without_sense(reading: RoundReading) -> dict[int, WordInContext]:
    """Return the word of each entity of the round's triples that has no sense yet, by the entity's id.

    People are left out, because their class is known. Of proper names only those of places are looked up.
    """
    triples = TripleRecord.objects.filter(round=reading.round).select_related("subject", "object", "sentence")
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


def distil(reading: RoundReading) -> Write:
    """Find the senses of what the round named, and write its digests."""
    with step("senses"):
        senses_write = find_senses(reading)
    digests_write = write_digests(reading)

    def write(space: Space) -> None:
        senses_write(space)
        digests_write(space)

    return write


STAGES: tuple[tuple[str, Stage], ...] = (
    ("words", store_words),
    ("graph", update_graph),
    ("links", link),
    ("digests", distil),
)
# What a stage reads before it computes: read in the transaction that ends the stage before it, it costs none of its own.
LOOKS: Mapping[str, tuple[Callable[[RoundReading], object], ...]] = {
    "links": (words_to_link,),
    "digests": (words_without_sense, words_to_sum_up),
}
HEARD_STAGE = "graph"
FIRST_STAGE, LAST_STAGE = STAGES[0][0], STAGES[-1][0]


def remaining_stages(done: str, *, is_heard: bool = False) -> list[tuple[str, Stage]]:
    """Return the stages that a round lacks whose last committed stage is `done`; all for a name that is none of theirs.

    The last is run again where the round was not ended with it. Of a round that is only heard the later ones wait.
    """
    names = [name for name, _ in STAGES]
    if is_heard:
        return [stage for stage in remaining_stages(done) if names.index(stage[0]) <= names.index(HEARD_STAGE)]
    return list(STAGES[names.index(done) + 1 :] or STAGES[-1:]) if done in names else list(STAGES)


def look_ahead(reading: RoundReading, *, done: str) -> None:
    """Read, in the caller's transaction, what the stage after `done` needs."""
    [(name, _), *_] = remaining_stages(done)
    for look in LOOKS.get(name, ()):
        reading.once(look)
