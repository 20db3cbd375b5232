"""What each rule of the clause reader is worth: the built-in extraction of labelled messages without it, rule by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.labelled_messages import LabelledMessage, read_messages, turns_of
from evaluation.core.message_match import SPEAKER, FactLabel, figure_rows, message_match
from evaluation.core.report import Row
from evaluation.services.messages import BUILT_IN, facts_read
from memory import bootstrap
from memory.adapters.learning import message_reader as recipe
from memory.bootstrap.models import make_message_reader
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor
from memory.core.knowledge_graph.extraction.rule_based import RULES, RuleBasedExtractor
from memory.core.knowledge_graph.extraction.rules import Rule
from memory.core.ports import KnowledgeExtractor, MessageReader, SyntacticParser
from memory.core.types import Fact, MessageInContext, ParsedSentence, ReadFact

ALL_RULES = "all rules"
# A fact as far as it counts as another one: of which message, subject, predicate, object, polarity, tense, modality.
FactKey = tuple[int, str, str, str, str, str, str]


class ParsedOnce:
    """Implements `SyntacticParser`: a sentence is parsed at its first reading, whatever rule is left out after."""

    def __init__(self, parser: SyntacticParser) -> None:
        self._parser = parser
        self._known: dict[str, ParsedSentence] = {}

    def parse_many(self, sentences: Sequence[str]) -> list[ParsedSentence]:
        missing = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._known]
        self._known.update(zip(missing, self._parser.parse_many(missing), strict=True))
        return [self._known[sentence] for sentence in sentences]


class ReadOnce:
    """Implements `MessageReader`: no rule changes what it reads."""

    def __init__(self, reader: MessageReader) -> None:
        self.name = reader.name
        self._reader = reader
        self._known: dict[MessageInContext, tuple[ReadFact, ...]] = {}

    def read_many(self, messages: Sequence[MessageInContext]) -> list[tuple[ReadFact, ...]]:
        missing = [message for message in dict.fromkeys(messages) if message not in self._known]
        self._known.update(zip(missing, self._reader.read_many(missing), strict=True))
        return [self._known[message] for message in messages]


@dataclass(frozen=True)
class Extraction:
    """What was read of all messages: the rows of its figures by metric, and the facts."""

    rows: dict[str, Row]
    facts: Counter[FactKey]


def messages_ablate(messages: Sequence[LabelledMessage], *, quiet: bool = False) -> list[Row]:
    """Return the figures with all rules, and how they change without all of them, and without each."""
    parser, weights = ParsedOnce(bootstrap.parser()), make_message_reader()
    reader = None if weights is None else ReadOnce(weights)
    sets = {ALL_RULES: tuple[Rule, ...]()}
    sets |= {left.__name__: tuple(rule for rule in RULES if rule is not left) for left in RULES}
    with progress_bar(len(sets) + 1, title="reading", unit="rule sets", hidden=quiet) as bar:
        whole = extraction(messages, extractor(RULES, parser, reader))
        bar.update(1)
        rows = list(whole.rows.values())
        for name, rules in sets.items():
            rows += change_rows(name, whole, extraction(messages, extractor(rules, parser, reader)))
            bar.update(1)
    return rows


def extractor(rules: Sequence[Rule], parser: SyntacticParser, reader: MessageReader | None) -> KnowledgeExtractor:
    """Return the built-in extractor with other rules; without weights of the message reader the rules alone."""
    clauses = RuleBasedExtractor(parser=parser, replaces=True, rules=rules)
    return clauses if reader is None else LearnedExtractor(reader=reader, parser=parser, clauses=clauses)


def extraction(messages: Sequence[LabelledMessage], extractor: KnowledgeExtractor) -> Extraction:
    read = [facts_read(message.turns, extractor=extractor) for message in messages]
    matches = {
        place: message_match(message.labels, facts)
        for place, (message, facts) in enumerate(zip(messages, read, strict=True))
    }
    whole = figure_rows(BUILT_IN, "", {place: match.facts for place, match in matches.items()}, group="")
    objects = figure_rows(BUILT_IN, "object_", {place: match.objects for place, match in matches.items()}, group="")
    keys = Counter(fact_key(place, fact) for place, facts in enumerate(read) for fact in facts)
    return Extraction({row.metric: row for row in (*whole, *objects)}, keys)


def fact_key(place: int, fact: Fact) -> FactKey:
    subject, value = fact.subject.label, fact.object.label
    return place, subject, fact.predicate, value, fact.polarity, fact.tense, fact.modality


def change_rows(name: str, before: Extraction, after: Extraction) -> Iterator[Row]:
    """Yield what leaving a rule out does to F1, of whole facts and of objects, and to the facts themselves."""
    for metric in ("f1", "object_f1"):
        first, second = before.rows[metric].value, after.rows[metric].value
        change = None if first is None or second is None else second - first
        yield Row(name, f"{metric}_change", change, "ratio", after.rows[metric].n, why=after.rows[metric].why)
    yield Row(name, "facts_lost", (before.facts - after.facts).total(), "facts", before.facts.total())
    yield Row(name, "facts_gained", (after.facts - before.facts).total(), "facts", after.facts.total())


def held_out_messages(folder: Path) -> list[LabelledMessage]:
    """Return the messages of a folder that the training of the message reader holds out."""
    return [
        LabelledMessage(line, message.register, turns_of(message.text, message.before), tuple(labels_of(message)))
        for line, message in enumerate(recipe.read_messages(folder).messages, start=1)
        if message.is_held_out
    ]


def labels_of(message: recipe.LabelledMessage) -> Iterator[FactLabel]:
    for fact in message.facts:
        subject = SPEAKER if fact.subject.casefold() in recipe.SPEAKERS else fact.subject
        yield FactLabel(subject, fact.predicate, fact.object)


def labelled_messages(path: Path) -> list[LabelledMessage]:
    """Return the messages of a file, or of all files of a folder."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return [message for file in files for message in read_messages(file).messages]
