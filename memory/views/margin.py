"""The margin beside a conversation: what a space remembers of whom, what changed, and what could not be processed."""

from datetime import timedelta

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from memory import selectors
from memory.models import ConflictRecord, EditRecord, EntityRecord, MaintenanceState, Round, Space
from memory.services import maintenance_retry
from memory.services.accounts import own_names, person
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404

CHANGES = 5
# So many more facts about one thing are shown each time.
STEP = 20
MOST = 200
WORDS_LIMIT = 100
# For this long the margin offers to undo what its reader changed last.
JUST_NOW = timedelta(minutes=10)


@own_page
def panel(request: HttpRequest, space_id: int) -> HttpResponse:
    """Return the margin of a space; `?q=` leaves out the facts that do not have the words."""
    space = space_with_work(request, space_id)
    words = words_asked(request)
    superseded = selectors.replaced_recent(space) if not words else []
    conflicts = selectors.conflicts_recent(space, limit=CHANGES) if superseded else []
    kept = ConflictRecord.Decision.KEPT
    told_of = {conflict.new_id if conflict.decision == kept else conflict.old_id for conflict in conflicts}
    context = {
        "space": space,
        "facts": selectors.facts_panel(space, text=words, first=own_names(person(request.user))),
        "words": words,
        "replaced": [fact for fact in superseded if fact.pk not in told_of],
        "conflicts": conflicts,
        "held": selectors.held_recent(space, limit=CHANGES) if not words else [],
        "edit": last_edit(request, space) if space.has_edit else None,
        "failed": selectors.failed_rounds(space) if space.has_failed else [],
        "is_page": not request.htmx,
        "place": "memory",
    }
    return render(request, "memory/_panel.html" if request.htmx else "memory/panel.html", context)


@own_page
def about(request: HttpRequest, space_id: int, entity_id: int) -> HttpResponse:
    """Return the newest facts about one thing as items of the margin's list, `?limit=` of them."""
    space = or_404(lambda: selectors.space_of(person(request.user), space_id))
    entity = or_404(lambda: EntityRecord.objects.get(space=space, pk=entity_id))
    limit = min(number_in(request, "limit") or STEP, MOST)
    words = words_asked(request)
    shown, more = selectors.facts_about(space, entity.pk, text=words, limit=limit)
    context = {"space": space, "entity": entity, "shown": shown, "more": more, "limit": limit + STEP, "words": words}
    return render(request, "memory/_about_facts.html", context)


def words_asked(request: HttpRequest) -> str:
    return request.GET.get("q", "")[:WORDS_LIMIT].strip()


def space_with_work(request: HttpRequest, space_id: int) -> Space:
    """Return one of the user's spaces, with whether it has rounds in work, failed rounds, or an edit of just now."""
    rounds = Round.objects.filter(space=OuterRef("pk"))
    waiting = rounds.filter(maintenance__in=[MaintenanceState.PENDING, MaintenanceState.RUNNING])
    failed = rounds.filter(maintenance=MaintenanceState.FAILED)
    edited = EditRecord.objects.filter(space=OuterRef("pk"), created_at__gt=timezone.now() - JUST_NOW)
    spaces = selectors.spaces_of(person(request.user)).annotate(
        is_reading=Exists(waiting), has_failed=Exists(failed), has_edit=Exists(edited)
    )
    return or_404(lambda: spaces.get(pk=space_id))


def last_edit(request: HttpRequest, space: Space) -> EditRecord | None:
    """Return the reader's last edit if it was just now and can be undone."""
    reader = person(request.user)
    mine = selectors.edits_of(reader).filter(space=space, actor=reader, created_at__gt=timezone.now() - JUST_NOW)
    newest = mine.order_by("-pk").first()
    return newest if newest is not None and newest.can_undo else None


@require_POST
def retry(request: HttpRequest, round_id: int) -> HttpResponse:
    """Queue the maintenance of a failed round again."""
    failed = or_404(lambda: selectors.rounds_of(request.user).get(pk=round_id))
    maintenance_retry(round=failed)
    if request.htmx:
        return panel_after_change(request, failed.space_id)
    return redirect("memory-panel", failed.space_id)


def panel_after_change(request: HttpRequest, space_id: int) -> HttpResponse:
    request.method = "GET"
    return panel(request, space_id)
