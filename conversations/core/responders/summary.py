"""What is known of somebody as one readable paragraph, the newest first, cut where a person would stop reading."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from conversations.core.responders.phrasing import distinct, echoes
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, clause, finished, grouped, joined, thing_text
from memory.core.types import Triple

_TOLD = 12
_JOINED = 3


def newest_first(triples: Sequence[Triple]) -> list[Triple]:
    """Return the triples worth telling, each once, the last said first."""
    unmarried = {t.subject.id for t in triples if t.predicate == "spouse" and t.is_any}
    telling = [
        triple
        for triple in triples
        if not (triple.predicate == "hasName" and echoes(triple))
        and not (triple.predicate == "maritalStatus" and triple.subject.id in unmarried)
    ]
    ordered = sorted(telling, key=lambda triple: (triple.recorded_at, triple.id), reverse=True)
    return with_whole_birthdays(distinct(ordered))


def with_whole_birthdays(triples: Sequence[Triple]) -> list[Triple]:
    """Return triples with a day and a year of birth that were told apart as one date, in the place of the first."""
    years = {t.subject.id: t for t in triples if t.predicate == "birthDate" and t.object.isdigit()}
    days = {t.subject.id: t for t in triples if t.predicate == "birthDate" and not t.object.isdigit()}
    found: list[Triple] = []
    for triple in triples:
        year, day = years.get(triple.subject.id), days.get(triple.subject.id)
        if triple.predicate != "birthDate" or year is None or day is None or triple not in (year, day):
            found.append(triple)
        elif not any(item.id == day.id for item in found):
            is_whole = year.object in day.object
            found.append(day if is_whole else replace(day, object=f"{day.object} {year.object}"))
    return found


def paragraph(triples: Sequence[Triple], *, asker: str, at: datetime, about: str) -> tuple[str, list[Triple]]:
    """Return a paragraph of triples in their order, with those that it tells; `about` is whom the rest concerns."""
    told = list(triples[:_TOLD])
    groups = grouped([assertion_of_triple(triple, at=at) for triple in told])
    clauses = [(thing_text(group[0].subject, asker=asker), clause(group, asker=asker)) for group in groups]
    text = " ".join(_sentences(clauses))
    left = len(triples) - len(told)
    if left:
        text = f"{text} I know {left} more thing{'' if left == 1 else 's'} about {about}."
    return text, told


def _sentences(clauses: Sequence[tuple[str, str]]) -> list[str]:
    """Join neighbouring clauses of one subject: "You like jazz, drive a red car and speak French."."""
    said: list[str] = []
    start = 0
    while start < len(clauses):
        subject = clauses[start][0]
        run = [clauses[start][1]]
        while (
            len(run) < _JOINED
            and start + len(run) < len(clauses)
            and all(_opens(text, subject) for text in (run[0], clauses[start + len(run)][1]))
            and _is_denial(run[0]) == _is_denial(clauses[start + len(run)][1])
            and clauses[start + len(run)][0] == subject
        ):
            run.append(clauses[start + len(run)][1])
        is_listing = len(run) > 1 and any(" and " in text for text in run)
        parts = [run[0], *(text.removeprefix(f"{subject} ") for text in run[1:])]
        said.append(finished(f"{', '.join(parts[:-1])}, and {parts[-1]}" if is_listing else joined(parts)))
        start += len(run)
    return said


def _is_denial(text: str) -> bool:
    return " not " in f"{text} "


def _opens(text: str, subject: str) -> bool:
    return text.startswith(f"{subject} ")
