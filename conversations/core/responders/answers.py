"""Answers in whole sentences, written by rule from what was recalled, with what they rest on."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from conversations.core.responders.counting import count, known_count_text
from conversations.core.responders.lapses import ended_at, lapsed, not_known_now
from conversations.core.responders.phrasing import (
    as_former,
    bare_time,
    distinct,
    event_asked,
    is_named,
    length,
    lowered,
    owner_text,
    quoted,
    refines,
)
from conversations.core.responders.premises import is_unsaid_name
from conversations.core.responders.recall import Recollection
from conversations.core.responders.summary import newest_first, paragraph, with_whole_birthdays
from conversations.core.responders.verdicts import verdict
from conversations.core.tracing.answered import Answered, Answering
from conversations.core.types import Grounds, GroundSentence, GroundTriple, Query
from memory.core.english.grammatical_person import FIRST_PERSON
from memory.core.english.telling_times import say_day, say_span, tell_fully
from memory.core.english.times import stated_date, times_in
from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.knowledge_graph.verbalisation import (
    Assertion,
    assertion_of_triple,
    finished,
    joined,
    possessive,
    sentence,
    sentences,
    thing_text,
)
from memory.core.naming import key_of
from memory.core.tracing import TraceStep
from memory.core.types import AskedKind, Polarity, Role, SourceSentence, Tense, TimeSpan, Triple

UNKNOWN = "I don't know that yet."
CANNOT = (
    "The built-in engine only answers from memory, so it cannot do that. "
    "To plug in a language model, open Settings > Engines."
)
OF_NO_MEMORY = frozenset({AskedKind.WORLD, AskedKind.TASK})
_LISTED = 12
_QUOTED = 3
# Names of accounts and of roles, which are nobody's own name.
_PLACEHOLDER_SPEAKER = re.compile(
    r"(?:user|me|you|i|human|speaker|assistant|anonymous|owner|admin|administrator|root|guest|test|tester|demo)?[\W_\d]*"
)
_WHY = {Wanted.TRUTH: "says whether it is so", Wanted.TIME: "says when", Wanted.DURATION: "says since when"}


@dataclass(frozen=True)
class Answer:
    """A reply to one question, with the steps of reading back that led to it. One that knows nothing rests on nothing.

    `question` are the words of a question to the memory, empty for one that memory does not answer; `missing` is what would
    have to be known for it, as questions.
    """

    text: str
    grounds: Grounds = field(default_factory=Grounds)
    is_known: bool = True
    steps: tuple[TraceStep, ...] = ()
    question: str = ""
    missing: tuple[str, ...] = ()

    def step(self) -> Answered:
        """Return the last step of the answer in the trace."""
        is_asked = bool(self.question) and self.text != CANNOT
        outcome = Answering.KNOWN if self.is_known else Answering.UNKNOWN
        return Answered(
            outcome=outcome if is_asked else None,
            question=self.question,
            asked=key_of(self.question) if is_asked else "",
            missing=self.missing,
            text=self.text,
            triples=tuple(item.triple.id for item in self.grounds.triples),
            sentences=tuple(item.sentence.id for item in self.grounds.sentences),
        )


@dataclass(frozen=True)
class SaidAnswer:
    """What reading back gave, with the steps that it took."""

    answer: Answer | None = None
    steps: tuple[TraceStep, ...] = ()


# Answers a question from what was said (`said_answers`).
ReadBack = Callable[[Recollection, Query], SaidAnswer]


def read_nothing(found: Recollection, query: Query) -> SaidAnswer:
    """Read nothing back: what a responder without an answer reader does."""
    return SaidAnswer()


def answer(found: Recollection, query: Query, *, read_back: ReadBack = read_nothing) -> Answer:
    """Return the answer that the recalled triples give, else what was said, else that it is not known."""
    writer = _AnswerWriter(found, query)
    known = writer.from_triples()
    if known is not None:
        return known
    over = lapsed(found, query)
    if found.question.kind in OF_NO_MEMORY and not over:
        return Answer(CANNOT, is_known=False)
    said = read_back(found, query)
    told = said.answer if said.answer is not None and is_told_after(said.answer, over) else None
    return replace(told or writer.from_lapsed(over) or writer.from_sentences() or writer.unknown(), steps=said.steps)


def is_told_after(answer: Answer, over: Sequence[Triple]) -> bool:
    """Return whether an answer was said after states that would have answered once were over."""
    said = [item.sentence.said_at for item in answer.grounds.sentences]
    return not over or any(day > ended_at(over) for day in said)


def _is_second_person(question: GraphQuestion, query: Query) -> bool:
    """Return whether the asker is "you" in the answer: not where the question speaks of the asker by name."""
    asked = unwrapped(question.text)
    if FIRST_PERSON.search(asked.text):
        return True
    return not re.search(rf"(?<!\w){re.escape(query.speaker)}(?!\w)", asked.text, re.IGNORECASE)


class _AnswerWriter:
    def __init__(self, found: Recollection, query: Query) -> None:
        self._found = found
        self._question: GraphQuestion = found.question
        self._query = query
        self._asker = query.speaker if _is_second_person(found.question, query) else ""

    # Triples

    def from_triples(self) -> Answer | None:
        wanted = self._question.wanted
        triples = list(self._found.triples)
        if wanted is Wanted.NAME:
            return self._name(triples)
        if not triples:
            return None
        if wanted is Wanted.TRUTH:
            return self._truth(triples)
        if wanted is Wanted.TIME:
            return self._time(triples)
        if wanted is Wanted.DURATION:
            return self._duration(triples)
        if wanted is Wanted.COUNT:
            return self._count(triples)
        if wanted is Wanted.AGE:
            return self._age(triples)
        if wanted in {Wanted.EVERYTHING, Wanted.IDENTITY}:
            return self._about(triples)
        if wanted is Wanted.RELATION:
            return self._said(distinct(triples)[:_LISTED])
        if wanted in {Wanted.REASON, Wanted.MANNER}:
            return None
        return self._values(triples)

    def _values(self, triples: list[Triple]) -> Answer | None:
        asked = self._question.predicates
        polarity = Polarity.NEGATIVE if self._question.is_denied else Polarity.POSITIVE
        kept = [t for t in triples if t.polarity is polarity or asked and t.predicate not in asked]
        if not kept:
            denied = [triple for triple in triples if triple.is_any]
            return self._said(denied[:1]) if denied and not self._question.is_past else None
        functional = predicate_named(kept[0].predicate).is_functional and not self._question.is_past
        return self._said(distinct(kept)[: 1 if functional and not refines(kept) else _LISTED])

    def _said(self, triples: Sequence[Triple]) -> Answer:
        former = self._question.is_past
        assertions = [self._assertion(triple, is_former=former) for triple in triples]
        return Answer(" ".join(sentences(assertions, asker=self._asker)), self._grounds(triples))

    def _assertion(self, triple: Triple, *, is_former: bool = False) -> Assertion:
        made = assertion_of_triple(triple, at=self._query.asked_at)
        happened = event_asked(self._question, triple)
        if happened:
            return replace(made, predicate=happened, tense=Tense.PAST, is_former=False)
        return made if not is_former or made.is_former else as_former(made)

    def _truth(self, triples: list[Triple]) -> Answer | None:
        found = verdict(self._found, triples, at=self._query.asked_at)
        if found is None:
            return None
        if found.is_over:
            return Answer("No, not any more.", self._grounds(found.triples))
        return self._verdict("Yes" if found.is_so else "No", found.triples)

    def _verdict(self, word: str, triples: Sequence[Triple]) -> Answer:
        said = " ".join(sentences([self._assertion(triple) for triple in triples], asker=self._asker))
        return Answer(f"{word}, {lowered(said)}", self._grounds(triples))

    def _name(self, triples: list[Triple]) -> Answer | None:
        subject = self._question.subject
        said = [triple for triple in triples if triple.predicate == "hasName" and triple.polarity is Polarity.POSITIVE]
        if said:
            return self._named(said[0])
        relations = [triple for triple in triples if triple.predicate != "hasName" and is_named(triple)]
        if relations:
            return self._said(distinct(relations))
        if subject is not None and subject.is_speaker and not _PLACEHOLDER_SPEAKER.fullmatch(key_of(self._asker)):
            return Answer(f"I know you as {self._asker}.")
        labels = [entity.label for entity in self._found.subject.entities if "'s " not in entity.label]
        if subject is not None and subject.owner is not None and labels:
            owner = thing_text(self._asker if subject.owner.is_speaker else subject.owner.text, asker=self._asker)
            role = subject.text.lower()
            return Answer(
                finished(
                    f"{possessive(owner, asker=self._asker) if owner != 'you' else 'your'} {role} is {joined(labels)}"
                )
            )
        return None

    def _named(self, triple: Triple) -> Answer:
        """Say a name of what the question calls it by: of "your dog" rather than of the name that it had before."""
        subject = self._question.subject
        if subject is None or subject.owner is None:
            return self._said([triple])
        owner = f"{owner_text(self._question, self._asker)} {subject.text.lower()}"
        return Answer(finished(f"{owner}'s name is {triple.object}"), self._grounds([triple]))

    def _time(self, triples: list[Triple]) -> Answer | None:
        if self._question.predicates[:1] == ("birthDate",):
            births = [triple for triple in triples if triple.predicate == "birthDate"]
            return self._birth(births) if births else None
        days = [triple for triple in triples if triple.predicate.endswith("Date")]
        if days:
            return self._said(days[:1])
        for triple in triples:
            if triple.polarity is not Polarity.POSITIVE:
                continue
            when = self._when(triple)
            if when:
                made = self._assertion(triple)
                lasts = (
                    made.predicate == triple.predicate
                    and made.tense is Tense.PRESENT
                    and not made.is_former
                    and triple.predicate in PREDICATES
                )
                lasts = lasts and predicate_named(triple.predicate).is_state
                said = sentence(replace(made, is_perfect=lasts), asker=self._asker).rstrip(".")
                tail = f"since {bare_time(when)}" if lasts else when
                return Answer(f"{said} {tail}.", self._grounds([triple]))
        return None

    def _age(self, triples: list[Triple]) -> Answer | None:
        """Say the age that was told, or the one that follows from a date of birth with its year."""
        told = [triple for triple in triples if triple.predicate == "age"]
        told.sort(key=lambda triple: triple.polarity is Polarity.NEGATIVE)
        if told:
            return self._said(told[:1])
        for birth in with_whole_birthdays(triples):
            born, now = stated_date(birth.object), self._query.asked_at
            if born.year is None:
                continue
            had_birthday = (now.month, now.day) >= (born.month or 1, born.day or 1)
            years = now.year - born.year - (0 if had_birthday else 1)
            is_exact = born.day is not None
            made = replace(self._assertion(birth), predicate="age", object=str(years))
            said = sentence(made, asker=self._asker)
            return Answer(said if is_exact else said.replace(f" {years} ", f" about {years} "), self._grounds([birth]))
        return None

    def _birth(self, births: list[Triple]) -> Answer:
        said = sentence(self._assertion(with_whole_birthdays(births)[0]), asker=self._asker)
        return Answer(said, self._grounds(births))

    def _when(self, triple: Triple) -> str:
        """Return the time of a triple in the precision of the words that it was read from."""
        source = triple.source
        start = triple.valid_from
        for time in times_in(source.text, said_at=source.said_at):
            if time.during(source.said_at).start == start or start is None and not time.is_length:
                return tell_fully(time)
        if start is None:
            return ""
        end = triple.valid_to
        return say_span(TimeSpan(start, end)) if end is not None and end > start else f"on {say_day(start)}"

    def _duration(self, triples: list[Triple]) -> Answer | None:
        for triple in triples:
            if triple.valid_from is None or triple.polarity is not Polarity.POSITIVE:
                continue
            since = bare_time(self._when(triple))
            days = (min(triple.valid_to or self._query.asked_at, self._query.asked_at) - triple.valid_from).days
            said = sentence(replace(self._assertion(triple), is_perfect=True), asker=self._asker).rstrip(".")
            return Answer(f"{said} since {since}: {length(days)}.", self._grounds([triple]))
        return None

    def _count(self, triples: list[Triple]) -> Answer | None:
        counted = count(triples)
        if counted.said:
            return self._said(counted.said)
        if not counted.known:
            return None
        return Answer(known_count_text(counted.known, asker=self._asker), self._grounds(counted.known))

    def _about(self, triples: list[Triple]) -> Answer | None:
        about = thing_text(self._found.subject.entities[0].label, asker=self._asker)
        chosen = newest_first(triples)
        if self._question.wanted is Wanted.IDENTITY:
            chosen.sort(key=lambda triple: triple.predicate != "hasName")
        if about != "you":
            # Whose sister she is comes before what she does.
            chosen.sort(key=lambda triple: key_of(triple.subject.label) != key_of(self._asker))
        chosen = chosen[:6] if self._question.wanted is Wanted.IDENTITY else chosen
        text, told = paragraph(chosen, asker=self._asker, at=self._query.asked_at, about=about)
        return Answer(text, self._grounds(told)) if told else None

    def from_lapsed(self, over: Sequence[Triple]) -> Answer | None:
        """Say what was, and that what is now is not known."""
        if not over:
            return None
        made = [replace(self._assertion(triple), is_lapsed=True, is_former=False) for triple in over]
        was = " ".join(sentences(made, asker=self._asker)).rstrip(".")
        now = not_known_now(over[0], asker=self._asker)
        return Answer(f"{was}; {now}.", self._grounds(over, why="says what was so once"), is_known=False)

    # Sentences

    def from_sentences(self) -> Answer | None:
        """Quote what speaks of the one of whom all is asked, where no triple does."""
        if self._question.wanted is not Wanted.EVERYTHING:
            return None
        chosen = [item.sentence for item in self._found.nearest if self._speaks_of_subject(item.sentence)][:_QUOTED]
        if not chosen:
            return None
        grounds = tuple(GroundSentence(source, "says it in these words") for source in chosen)
        return Answer(" ".join(quoted(one, asker=self._asker) for one in chosen), Grounds(sentences=grounds))

    def _speaks_of_subject(self, source: SourceSentence) -> bool:
        subject = self._question.subject
        if source.role is Role.ASSISTANT or not source.is_own or source.text.rstrip().endswith("?"):
            return False
        if subject is None or subject.is_speaker:
            return key_of(source.speaker) == key_of(self._query.speaker) and bool(FIRST_PERSON.search(source.text))
        return content_stems(subject.text) <= content_stems(source.text)

    def unknown(self) -> Answer:
        mention = self._unsaid_mention()
        if mention:
            return Answer(f"{UNKNOWN} Nobody has told me about {mention} so far.", is_known=False)
        return Answer(
            f"{UNKNOWN} Tell me, and I will remember it." if self._query.is_remembered else UNKNOWN, is_known=False
        )

    def _unsaid_mention(self) -> str:
        """Return whom or what the question is about where no word of it was ever said; else nothing."""
        subject = self._question.subject
        if subject is None or subject.is_speaker or self._found.subject.entities:
            return ""
        if not is_unsaid_name(subject.text, unwrapped(self._question.text).text, self._found.unsaid):
            return ""
        owner = "" if subject.owner is None else owner_text(self._question, self._asker)
        return f"{owner} {subject.text}".strip()

    def _grounds(self, triples: Sequence[Triple], *, why: str = "") -> Grounds:
        why = why or _WHY.get(self._question.wanted, "answers the question")
        led = [
            GroundTriple(triple, "says who is meant")
            for triple in self._found.subject.relation
            if triple not in triples
        ]
        sources: dict[int, SourceSentence] = {}
        for triple in [*triples, *(item.triple for item in led)]:
            sources.setdefault(triple.source.id, triple.source)
        return Grounds(
            tuple(GroundTriple(triple, why) for triple in triples) + tuple(led),
            tuple(GroundSentence(source, "is where this was said") for source in list(sources.values())[:_LISTED]),
        )
