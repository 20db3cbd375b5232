"""`make_training_data selection`: which triples are relevant to a dialogue, and why (DRG, Table 10).

Of the triples of a dialogue's entities those are judged that share its words most, its own, and some that are drawn, so that
both kinds come up. In chats as many are relevant as are not.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from evaluation.benchmarks.teachable import TeachableDialogue
from evaluation.services.teaching.lessons import CHAT, SELECTOR, Lessons, TeachingRequest, answered, chat
from memory.adapters.knowledge_files.opendialkg import read_knowledge
from memory.core.errors import LanguageModelError
from memory.core.grounded_generation.knowledge import KnowledgeIndex
from memory.core.grounded_generation.selection import Bm25Scorer, JudgedTriple, TripleTeacher, select, selection_lesson
from memory.core.ports import LanguageModel

HELP = "which triples of a knowledge base are relevant to a dialogue, with the reasons"
FORMS: tuple[str, ...] = (CHAT, SELECTOR)
# Triples of a dialogue that are judged, half of them for their words, of so many candidates at most.
JUDGED, CANDIDATES = 10, 1_000
Judged = tuple[TeachableDialogue, JudgedTriple]


def teach(
    request: TeachingRequest, teacher: LanguageModel, dialogues: Sequence[TeachableDialogue], lessons: Lessons
) -> None:
    """Add the lessons of dialogues."""
    known = KnowledgeIndex(read_knowledge(request.triples) if request.triples else ())
    judge = TripleTeacher(teacher)
    shown = []
    for one in dialogues:
        shown.append(to_judge(one, known))
        if not shown[-1].triples:
            lessons.leave_out("no triple is about what it names")
            shown.pop()

    def ask(some: Sequence[TeachableDialogue]) -> list[list[JudgedTriple] | LanguageModelError]:
        return judge.judge_many([(one.dialogue, [triple.text for triple in one.triples]) for one in some])

    chats: list[Judged] = []
    for one, judged in answered(shown, ask, lessons, is_quiet=request.is_quiet):
        for _ in range(len(one.triples) - len(judged)):
            lessons.leave_out("a triple that the reply leaves out")
        if request.form == SELECTOR:
            add_choice(one, judged, lessons)
        else:
            chats += [(one, each) for each in judged]
    for one, each in balanced(chats, lessons):
        lessons.lines.append(chat(selection_lesson(one.dialogue, each)))


def to_judge(one: TeachableDialogue, known: KnowledgeIndex) -> TeachableDialogue:
    """Return the dialogue with the triples to judge, at most `JUDGED` and always the same, in an order that tells nothing."""
    chance = random.Random("\n".join(one.dialogue))
    candidates = list(dict.fromkeys([*one.triples, *known.candidates(one.dialogue, limit=CANDIDATES)]))
    near = select(Bm25Scorer(), one.dialogue, candidates, limit=JUDGED // 2)
    drawn = chance.sample(candidates, len(candidates))
    chosen = list(dict.fromkeys([*near, *one.triples, *drawn]))[:JUDGED]
    return replace(one, triples=tuple(chance.sample(chosen, len(chosen))))


def add_choice(one: TeachableDialogue, judged: Sequence[JudgedTriple], lessons: Lessons) -> None:
    """Add the line of a dialogue that `train triple-selector` reads, where triples of both kinds were found."""
    relevant = {each.triple for each in judged if each.is_relevant}
    others = {each.triple for each in judged} - relevant
    if not relevant or not others:
        lessons.leave_out("all of its triples are relevant, or none is")
        return
    parts = [(triple.text, [triple.subject, triple.relation, triple.object]) for triple in one.triples]
    lessons.lines.append(
        {
            "dialogue": list(one.dialogue),
            "relevant": [part for text, part in parts if text in relevant],
            "irrelevant": [part for text, part in parts if text in others],
        }
    )


def balanced(chats: Sequence[Judged], lessons: Lessons) -> list[Judged]:
    """Return as many relevant triples as others, drawn from those that there are more of, in their order."""
    places = {kind: [at for at, (_, each) in enumerate(chats) if each.is_relevant is kind] for kind in (True, False)}
    fewest = min(map(len, places.values()))
    kept = sorted(at for own in places.values() for at in random.Random(0).sample(own, fewest))
    for _ in range(len(chats) - len(kept)):
        lessons.leave_out("a triple of the kind that there are more of")
    return [chats[at] for at in kept]
