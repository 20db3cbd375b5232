"""The roles of backward chaining without a language model: a parse takes a question apart, the answer reader unifies.

- Decomposition: each description of somebody in the question is a subgoal, the innermost first, and so is the question with
  a variable for each: "(z1:dentist who pulled my tooth) is the dentist who pulled my tooth", "the practice of (z1) is (x)".
  The second attempt asks the question as a whole, and takes a description for an answer.
- Unification: an open subgoal with one variable is put as a question to all turns retrieved, in the order in which they were
  said; what the reader answers most surely binds the variable. The question proper is asked twice, in its own words and with
  the values found, and both readings are joined. A time is told as the day that its words mean, and a place that is of
  another kind than is asked for by the wider one that it is in.
- Refinement: where what was found is a description ("my old area"), who or what that is.

Departure from the paper: predicates are the words of the question, in its order; the reader takes them as they are.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conversations.core.responders.goal_mem.kinds import Kinds
from conversations.core.responders.goal_mem.questions import ANSWER, TakenApart, atom_of, named, taken_apart, variable
from conversations.core.responders.goal_mem.triples import TripleValue
from conversations.core.responders.said_answers import to_read
from memory.core.backward_chaining.nl_logic import Atom, Constant, NotLogic, Substitution, Term
from memory.core.backward_chaining.types import (
    Antecedent,
    Decomposition,
    ProofQuestion,
    Refinement,
    RefinementTask,
    Relation,
    Subgoal,
    Unification,
    UnificationTask,
    Unifier,
)
from memory.core.english.grammatical_person import FIRST_POSSESSIVES
from memory.core.english.telling_times import say_date, tell
from memory.core.english.times import TimeReference, dates_in
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.naming import key_of
from memory.core.ports import AnswerReader, SyntacticParser
from memory.core.types import MemoryUnit, QuestionOnTurns, ReadAnswer, SaidTurn, Span

USER = "user"
PERSON = "person"
_WHO, _ALL = Span(0, 3), Span(0, 10_000)
_TIMES = frozenset({"time", "date", "day", "month", "year"})
_ARTICLES = frozenset(
    {*FIRST_POSSESSIVES, "the", "that", "this", "those", "these", "his", "her", "its", "their", "your"}
)


@dataclass(frozen=True)
class ReadingConfig:
    """From which probability on a reading is believed: of who a description means, and of the answer itself.

    Fitted on cases that were written for it. A reading in one of two wordings only, or of another kind than is asked for,
    counts so much less, in log-odds. `others` is how many turns are read of those whom the question is not about. `told` is
    how probable a description is that only triples resolve, `agreed` how probable at least what triples and words tell.
    """

    described: float = 0.45
    answered: float = 0.5
    alone: float = 0.3
    other_kind: float = 1.0
    others: int = 0
    told: float = 0.6
    agreed: float = 0.9


@dataclass(frozen=True)
class Found:
    """Words that were read in a fact, with how probable they are; `fact` is its number from 1."""

    fact: int
    words: str
    span: Span
    probability: float


@dataclass
class ReadingPlayers:
    """Implements the three roles of backward chaining for one question."""

    parser: SyntacticParser
    reader: AnswerReader
    triples: Callable[[str], Iterable[TripleValue]]
    kinds: Kinds
    config: ReadingConfig = ReadingConfig()
    _is_last: bool = False
    _described: dict[int, Found] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._apart: TakenApart

    def decompose(self, question: ProofQuestion, *, earlier: Sequence[Decomposition]) -> Decomposition | None:
        """Return the question with its descriptions taken out; as a whole the second time; no third way."""
        text = unwrapped(question.text).text
        apart = taken_apart(self.parser.parse_many([text])[0], kinds=self.kinds)
        if apart is None or len(earlier) > 1 or earlier and not (apart.descriptions or self._described):
            return None
        self._is_last = bool(earlier)
        self._apart, self._described = replace(apart, descriptions=() if earlier else apart.descriptions), {}
        return _decomposition(self._apart, as_described=self._is_last)

    def unify(self, task: UnificationTask) -> Unification:
        unifiers: list[Unifier] = []
        open_for: dict[int, str] = {}
        for subgoal in task.subgoals:
            unifier = self._unifier(subgoal, task)
            if isinstance(unifier, Unifier):
                unifiers.append(unifier)
            else:
                open_for[subgoal.number] = unifier
        return Unification(tuple(unifiers), open_for)

    def refine(self, task: RefinementTask) -> Refinement:
        """Return who or what is meant by the descriptions that were found in place of an answer."""
        antecedents = [
            Antecedent(one.number, atom, Relation.SEMANTIC, atom.sentence)
            for one in task.subgoals
            if one.number in self._described
            for atom in [_meaning(one.atom, self._described[one.number].words)]
            if atom is not None
        ]
        return Refinement(tuple(antecedents))

    def _unifier(self, subgoal: Subgoal, task: UnificationTask) -> Unifier | str:
        """Return what grounds a subgoal, or why nothing does."""
        atom = task.substitution.apply(subgoal.atom)
        if atom.is_ground and subgoal.number in self._described:
            return Unifier(subgoal.number, (self._described[subgoal.number].fact,))
        if len(atom.variables) != 1:
            return f"{atom.variables[0].type or 'Something else'} has to be known first." if atom.variables else ""
        [sought] = atom.variables
        for found in self._found(subgoal, atom, task):
            is_answer = sought.name == ANSWER
            if found.probability < (self.config.answered if is_answer else self.config.described):
                break
            fact = task.facts[found.fact - 1]
            if is_answer and self._names_it(subgoal) and is_description(found.words):
                self._described.setdefault(subgoal.number, found)
                return f"It is told only as “{found.words}”."
            value, bridge = self._value(found, fact) if is_answer else (found.words, "")
            if value:
                return Unifier(subgoal.number, (found.fact,), Substitution.of({sought.name: Constant(value)}), bridge)
        return "No sentence says it surely enough."

    def _found(self, subgoal: Subgoal, atom: Atom, task: UnificationTask) -> list[Found]:
        """Return what the reader finds for a subgoal, surest first."""
        read = to_read(task.facts, task.question.text, task.question.asker, others=self.config.others)
        order = sorted(map(task.facts.index, read), key=lambda place: task.facts[place].said_at)
        turns = tuple(said_turn(task.facts[place], task.question.asker) for place in order)
        is_whole = subgoal.number == len(self._apart.descriptions) + 1
        questions = self._questions(atom, task.substitution, is_whole=is_whole)
        answered = self.reader.read_many([QuestionOnTurns(one, turns) for one in questions])
        odds: dict[tuple[int, Span], list[ReadAnswer]] = {}
        for answers in answered:
            for place, answer in zip(order, answers, strict=True):
                odds.setdefault((place, answer.words.span), []).append(answer)
        kind = self._apart.asked.kind if is_whole else ""
        found = [
            Found(place + 1, alike[0].words.text, span, self._weighed(alike, kind, of=len(questions)))
            for (place, span), alike in odds.items()
            if alike[0].words.text
            and (is_time(kind) or content_stems(alike[0].words.text) - content_stems(questions[0]))
        ]
        told = [] if is_time(kind) else list(self._told(questions[-1], task.facts))
        known = self._agreed(found, told)
        if not is_whole:
            known += [one for one in told if not any(is_same(one, other) for other in found)]
        return sorted(known, key=lambda one: -one.probability)

    def _told(self, question: str, facts: Sequence[MemoryUnit]) -> Iterator[Found]:
        """Yield the values that triples give, where a fact holds the sentence that says so, with the value's words."""
        for value in self.triples(question):
            for place, fact in enumerate(facts):
                start = fact.text.casefold().find(value.words.casefold())
                if value.sentence in fact.sentence_ids and start >= 0:
                    span = Span(start, start + len(value.words))
                    yield Found(place + 1, fact.text[span.start : span.end], span, self.config.told)

    def _agreed(self, found: Sequence[Found], told: Sequence[Found]) -> list[Found]:
        """Return what was read, surer where a triple says so too."""
        return [
            replace(one, probability=max(one.probability, self.config.agreed))
            if any(is_same(one, other) for other in told)
            else one
            for one in found
        ]

    def _questions(self, atom: Atom, held: Substitution, *, is_whole: bool) -> list[str]:
        """Return a subgoal with one variable as a question; the question proper also with the values found."""
        if not is_whole:
            return [asked_as(atom)]
        names = {
            one.span: value.text
            for number, one in enumerate(self._apart.descriptions, start=1)
            if isinstance(value := held.get(f"z{number}"), Constant)
        }
        return list(dict.fromkeys([self._apart.text, named(self._apart.text, _outermost(names))]))

    def _weighed(self, alike: Sequence[ReadAnswer], kind: str, *, of: int) -> float:
        """Return how probable an answer is that was read in some of the wordings."""
        odds = sum(log_odds(one.probability) for one in alike) / len(alike) - self.config.alone * (of - len(alike))
        if kind and not is_time(kind) and not self._fits(alike[0].words.text, kind):
            odds -= self.config.other_kind
        return 1 / (1 + math.exp(-odds))

    def _names_it(self, subgoal: Subgoal) -> bool:
        """Return whether a subgoal asks for a name of what may have been described: not the last time that it is asked."""
        kind = self._apart.asked.kind
        return not self._is_last and subgoal.serves is None and bool(kind) and not is_time(kind)

    def _fits(self, words: str, kind: str) -> bool:
        return self.kinds.may_be(words, kind) or bool(self.kinds.wider(words, kind))

    def _value(self, found: Found, fact: MemoryUnit) -> tuple[str, str]:
        """Return the value that words stand for, and the bridge to it; nothing where a time is asked and none is told."""
        kind = self._apart.asked.kind
        if is_time(kind):
            time = nearest_time(fact, found.span)
            return (told_as(time, set(kind.casefold().split())), "") if time is not None else ("", "")
        wider = self.kinds.wider(found.words, kind)
        return (wider, f"{found.words} is in {wider}") if wider else (found.words, "")


def _decomposition(apart: TakenApart, *, as_described: bool) -> Decomposition:
    """Return a question's rule: each description is somebody, and the question holds of them.

    Where the answer may be `as_described`, what is sought is a description of its kind.
    """
    kind = apart.asked.kind or "thing"
    subgoals: list[Atom] = []
    known: dict[Span, Term] = {}
    for number, one in enumerate(apart.descriptions, start=1):
        inside = {
            _within(span, one.span, after=len("who is ")): term
            for span, term in known.items()
            if _holds(one.span, span)
        }
        sought = variable(f"z{number}", " ".join(word for word in one.text.split() if word.lower() not in _ARTICLES))
        subgoals.append(atom_of(f"who is {one.text}", [_ALL], {_WHO: sought, **inside}))
        known = {span: term for span, term in known.items() if not _holds(one.span, span)} | {one.span: sought}
    answer = variable(ANSWER, f"description of a {kind}" if as_described else kind)
    goal = atom_of(apart.text, apart.order, {apart.asked.span: answer, **known})
    queries = (*(f"Who is {one.text}?" for one in apart.descriptions), f"{apart.text.rstrip(' ?.!')}?")
    return Decomposition(goal, (*subgoals, goal), (ANSWER,), queries)


def _outermost(names: Mapping[Span, str]) -> dict[Span, str]:
    return {span: name for span, name in names.items() if not any(_holds(other, span) for other in names)}


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and outer != inner


def _within(span: Span, outer: Span, *, after: int) -> Span:
    return Span(span.start - outer.start + after, span.end - outer.start + after)


def _meaning(atom: Atom, description: str) -> Atom | None:
    """Return the atom that a description means the answer of a subgoal."""
    sought = next((one for one in atom.variables if one.name == ANSWER), None)
    try:
        return None if sought is None else Atom((sought, f"is {' '.join(description.split())}"))
    except NotLogic:
        return None


def asked_as(atom: Atom) -> str:
    """Return an atom that begins with its variable as a question: "Who is my dentist?", "Which area is my old area?"."""
    [sought] = atom.variables
    who = "Who" if sought.name != ANSWER or sought.type == PERSON else f"Which {sought.type}"
    return f"{who} {Atom(atom.parts[1:]).sentence}?"


def is_description(words: str) -> bool:
    """Return whether words only describe: "my old area", and nothing in them is a name."""
    first, *rest = words.split() or [""]
    return first.lower() in _ARTICLES and all(word == word.lower() for word in rest)


def is_time(kind: str) -> bool:
    """Return whether a kind is of times of the calendar: "month and year"."""
    return bool(set(kind.casefold().split()) & _TIMES)


def said_turn(fact: MemoryUnit, asker: str) -> SaidTurn:
    """Return a fact as the reader reads a turn: the asker is the user, whoever asks."""
    speaker = USER if key_of(fact.speaker) == key_of(asker) else fact.speaker
    before_speaker, _, before = fact.before.partition(": ")
    return SaidTurn(fact.text, speaker, before, before_speaker)


def nearest_time(fact: MemoryUnit, span: Span) -> TimeReference | None:
    """Return the time that a fact tells at a place of its text, or nearest to it."""
    times = dates_in(fact.text, said_at=fact.said_at)
    return min(times, key=lambda one: _distance(one.span, span), default=None)


def told_as(time: TimeReference, asked: set[str]) -> str:
    """Return a time as exactly as it is asked for: the year, the month with its year, or all that is known."""
    first = time.start
    if "day" in asked or "date" in asked or "time" in asked or not first.year:
        return tell(time)
    return say_date(replace(first, day=None)) if "month" in asked else f"{first.year}"


def log_odds(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))


def is_same(one: Found, other: Found) -> bool:
    return one.fact == other.fact and one.span.start < other.span.end and other.span.start < one.span.end


def _distance(one: Span, other: Span) -> int:
    return max(one.start - other.end, other.start - one.end, 0)
