"""Reads questions: unwrapping, one parse, the clause's form, and the predicates that its words name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.question import GraphQuestion, Wanted
from memory.core.knowledge_graph.question_forms import relation_question
from memory.core.knowledge_graph.question_grammar import read_clause, read_topic
from memory.core.knowledge_graph.question_habits import spoken_of
from memory.core.knowledge_graph.question_predicates import candidate_predicates
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.stems import content_stems
from memory.core.ports import SyntacticParser


def read_questions(texts: Sequence[str], *, parser: SyntacticParser) -> list[GraphQuestion]:
    """Return one question a text, in order. A text that fits no form comes back as a question by content alone."""
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
