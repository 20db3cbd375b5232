"""Reads questions: unwrapping, one parse, the clause's form, and the predicates that its words name.

A learned reader beside the form tells whether it is a memory that is asked, whether for plans, which predicate is asked for,
and of whom where the form does not show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.ontology import PREDICATES, predicate_named
from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_forms import relation_question
from memory.core.knowledge_graph.question_grammar import read_clause, read_topic
from memory.core.knowledge_graph.question_habits import spoken_of
from memory.core.knowledge_graph.question_predicates import NARROWER, candidate_predicates
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import QuestionReader, SyntacticParser
from memory.core.types import AskedKind, AskedTime, ReadQuestion, SubjectPath

# From which probability on the learned reader's word stands against the form's, and from which where that says nothing.
SURE, LIKELY = 0.8, 0.3
_BY_WORDS = frozenset({Wanted.EVERYTHING, Wanted.IDENTITY, Wanted.RELATION, Wanted.NAME, Wanted.AGE, Wanted.SUBJECT})
# What is answered by the triples of all predicates, so that none may be among them that is not meant.
_OF_ALL = frozenset({Wanted.TRUTH, Wanted.COUNT})
_OVER = frozenset({AskedTime.PAST, AskedTime.DATED})
KEPT_AS = {"diet": "hasQuality"}
YES_NO = "yes-no"
# What is wanted by the kind of thing that the learned reader finds asked for; anything else is a value.
WANTED_OF = {
    YES_NO: Wanted.TRUTH,
    "place": Wanted.PLACE,
    "person": Wanted.PERSON,
    "time": Wanted.TIME,
    "reason": Wanted.REASON,
    "manner": Wanted.MANNER,
}


def read_questions(
    texts: Sequence[str], *, parser: SyntacticParser, reader: QuestionReader | None = None
) -> list[GraphQuestion]:
    """Return one question a text, in order. A text that fits no form comes back as a question by content alone."""
    questions = read_by_form(texts, parser=parser)
    read = reader.read_many(texts) if reader is not None else ()
    return [understood(*pair) for pair in zip(questions, read, strict=True)] if read else questions


def understood(question: GraphQuestion, read: ReadQuestion) -> GraphQuestion:
    """Return a question with what its form leaves open as the learned reader reads it."""
    subject = question.subject
    if subject is None and question.wanted is not Wanted.SUBJECT and read.subject.probability >= SURE:
        subject = _term(read.subject.value)
    is_truth_doubted = (question.wanted is Wanted.TRUTH) != (read.want.value == YES_NO)
    if is_truth_doubted and question.wanted not in _BY_WORDS and read.want.probability >= SURE:
        question = replace(question, wanted=WANTED_OF.get(read.want.value, Wanted.VALUE))
    return replace(
        question,
        subject=subject,
        kind=read.kind.value if read.kind.probability >= SURE else AskedKind.MEMORY,
        is_future=question.is_future or read.time.value is AskedTime.FUTURE and not question.is_past,
        predicates=_predicates(question, read),
    )


def _predicates(question: GraphQuestion, read: ReadQuestion) -> tuple[str, ...]:
    """Return what the reader is sure of before what the ontology knows by the words; where that is nothing, what is likely.

    A predicate named after the question's own verb comes first: what is kept under it was said in the same words. What
    happened once is no state that the reader could name.
    """
    named = question.predicates
    known = next((place for place, name in enumerate(named) if name in PREDICATES), None)
    happened = question.verb != "be" and read.time.value in _OVER
    if happened or question.is_negative or question.wanted in _BY_WORDS:
        return named
    if known is not None and (question.wanted in _OF_ALL or predicate_named(named[known]).verb == "have"):
        return named
    found = [
        name
        for one in read.predicates
        if one.probability >= (LIKELY if known is None else SURE)
        for name in NARROWER.get(one.value, (KEPT_AS.get(one.value, one.value),))
        if name in PREDICATES
    ]
    return tuple(dict.fromkeys([*named[:known], *found, *named[len(named[:known]) :]]))


def _term(path: SubjectPath) -> QuestionTerm | None:
    """Return what a path names as questions name it; None where a relation of it has no name."""
    if not set(path.relations) <= set(PREDICATES):
        return None
    term = SPEAKER if path.start is None else QuestionTerm(path.start.text)
    for relation in path.relations:
        term = QuestionTerm(predicate_named(relation).noun, owner=term)
    return term


def read_by_form(texts: Sequence[str], *, parser: SyntacticParser) -> list[GraphQuestion]:
    """Return one question a text, by its form and its words alone."""
    inner = [unwrapped(text) for text in texts]
    parses = parser.parse_many([item.text for item in inner])
    questions = []
    for text, item, parse in zip(texts, inner, parses, strict=True):
        related = relation_question(item.text)
        if related is not None:
            question = replace(related, text=text, content=content_stems(item.text))
        elif item.topic:
            question = GraphQuestion(
                text=text,
                wanted=Wanted.EVERYTHING,
                subject=read_topic(parse),
                content=content_stems(item.topic),
                is_list=True,
            )
        else:
            question = replace(read_clause(parse), text=text, content=content_stems(item.text), excluded=item.excluded)
        question = spoken_of(question)
        questions.append(replace(question, predicates=candidate_predicates(question)))
    return questions
