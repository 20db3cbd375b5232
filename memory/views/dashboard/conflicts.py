"""The conflicts of a space: both sides, the rule, the decision and who took it; each has a URL of its own."""

from enum import StrEnum

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memory import selectors
from memory.core.types import ConflictRule
from memory.models import ConflictRecord, EditRecord, TripleRecord
from memory.selectors.choices import choices_in
from memory.selectors.lists import Decider, conflicts_page
from memory.services.accounts import person
from memory.views.dashboard.listing import choice_in, listing, paged
from memory.views.dashboard.shell import shell, space_visible
from memory.views.own_pages import own_page
from memory.views.rows import or_404

EDITS = 10
RULES = (
    (ConflictRule.FUNCTIONAL_VALUE, "only one can be so at a time"),
    (ConflictRule.POLARITY, "the one denies the other"),
    (ConflictRule.DISJOINT_PROPERTIES, "nobody can mean both"),
    (ConflictRule.TEMPORAL_PARADOX, "the times cannot both be right"),
    (ConflictRule.ENDED, "said to be over"),
    (ConflictRule.CORRECTED, "corrected by hand"),
    (ConflictRule.LEARNED, "so by what was said later"),
    (ConflictRule.MODEL, "found by the language model"),
)
DECIDERS = ((Decider.RULES, "the rules"), (Decider.PEOPLE, "a person"), (Decider.ME, "you"))


class Decision(StrEnum):
    """The values of the URL parameter for decisions, equal to those of the rows."""

    SUPERSEDED = ConflictRecord.Decision.SUPERSEDED.value
    KEPT = ConflictRecord.Decision.KEPT.value
    BOTH = ConflictRecord.Decision.BOTH.value


DECISIONS = (
    (Decision.SUPERSEDED, "the later one holds"),
    (Decision.KEPT, "the earlier one stays"),
    (Decision.BOTH, "both stand"),
)


@own_page
def conflicts(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = listing(request, space, "conflicts")
    rule = choice_in(request, "rule", ConflictRule)
    decision = choice_in(request, "decision", Decision)
    decider = choice_in(request, "by", Decider)
    page = conflicts_page(
        person(request.user),
        space,
        context["asked"],
        rule=rule,
        decision=decision or "",
        decider=decider,
        before=context["before"],
    )
    undo_offer(page.rows, context["edits"])
    context |= paged(request, page)
    context |= {
        "choices": choices_in(space, "session"),
        "rules": RULES,
        "rule": rule,
        "decisions": DECISIONS,
        "decision": decision,
        "deciders": DECIDERS,
        "decider": decider,
        "is_filtered": bool(rule or decision or decider or context["asked"].session),
    }
    return render(request, "memory/dashboard/conflicts.html", context)


def undo_offer(rows: list[ConflictRecord], edits: list[EditRecord]) -> None:
    """Set `edit` of each conflict to its newest edit that can be undone."""
    open_edits = [edit for edit in edits if edit.can_undo and edit.kind == EditRecord.Kind.CONFLICT]
    for row in rows:
        sides = {row.old_id, row.new_id}
        about = (edit for edit in open_edits if sides <= set(edit.facts_about or ()))
        row.edit = next(about, None)


def owned(request: HttpRequest, conflict_id: int) -> ConflictRecord:
    return or_404(lambda: selectors.conflict_of(person(request.user), conflict_id))


@own_page
def actions(request: HttpRequest, conflict_id: int) -> HttpResponse:
    """Return the buttons of one conflict of a list, loaded when the reader opens them."""
    row = owned(request, conflict_id)
    return render(request, "memory/dashboard/_conflict_acts_alone.html", {"conflict": row, "fact": holder_of(row)})


def holder_of(row: ConflictRecord) -> TripleRecord:
    """Return the side that holds now; where neither does, the one that was said last."""
    return row.old if row.old.superseded_at is None else row.new


@own_page
def conflict(request: HttpRequest, conflict_id: int) -> HttpResponse:
    """Show one conflict with all edits of its sides."""
    reader = person(request.user)
    row = owned(request, conflict_id)
    space = space_visible(request, row.space_id)
    about = Q(undo__about__triple__contains=[row.old_id]) | Q(undo__about__triple__contains=[row.new_id])
    edits = list(selectors.edits_of(reader).filter(about, space=space).order_by("-pk")[:EDITS])
    row.edit = None
    context = shell(request, space, "conflicts") | {
        "conflict": row,
        "fact": holder_of(row),
        "edits": edits,
        "address": request.get_full_path(),
    }
    return render(request, "memory/dashboard/conflict.html", context)
