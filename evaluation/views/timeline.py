"""The timeline of a dialogue: what each round asked and answered, changed and cost, and how consistent the reply was.

Pages are ranges of the rounds' numbers, so that a round stays on its page while others are added; the first page has one
range and what has begun of the next. The chart is drawn from `timeline_data`, which shows all replies of the same address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.selectors import ScoreStanding
from evaluation.selectors.timeline import LinePoint, dialogue_in, dialogues_in, reply_line, reply_scores, rounds_between
from memory.models import TO_MAINTAIN, Session, Space, Turn
from memory.selectors import rounds_of
from memory.services import maintenance_retry
from memory.services.accounts import person
from memory.views.dashboard.listing import with_values
from memory.views.dashboard.shell import shell, space_visible, turn_asked
from memory.views.dashboard.triples import back_to
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404

ROUNDS = 10
STRIP = 120
LAST_TURNS = 200


@own_page
def timeline(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = shell(request, space, "timeline")
    at: Turn | None = context["as_of"]
    session = session_asked(request, space, at)
    context |= {
        "dialogues": dialogues_shown(space, session),
        "dialogue": session,
        "is_scoring": settings.DSMART_SCORES,
        "is_table": request.GET.get("view") == "table",
        # What is read stays the same dialogue when another one goes on.
        "address": with_values(request, session=str(session.pk)) if session is not None else request.get_full_path(),
    }
    if session is not None and session.last is not None:
        context |= dialogue_shown(request, session, at)
    return render(request, "evaluation/timeline.html", context)


def session_asked(request: HttpRequest, space: Space, at: Turn | None) -> Any:
    """Return the session that the URL names, else the latest. Raises `Http404` for any other."""
    asked = number_in(request, "session")
    session = dialogue_in(space, session_id=asked, at=at)
    if session is None and asked is not None:
        raise Http404
    return session


def dialogues_shown(space: Space, session: Session | None) -> list[Session]:
    """Return the sessions of the picker: the newest ones, and the open one."""
    newest = list(dialogues_in(space))
    return newest if session is None or session in newest else [*newest, session]


def dialogue_shown(request: HttpRequest, session: Any, at: Turn | None) -> dict[str, Any]:
    """Return a page of the session's rounds, and the scores of all its replies."""
    last: int = session.last
    before = place_in(request, last)
    first = first_of(before, last)
    line = reply_line(session, at=at)
    rounds = rounds_between(session, first, last if before is None else before - 1, at=at)
    there = {one.round.pk for one in rounds}
    scores = reply_scores([point for point in line.points if point.round_id in there])
    newer = None if before is None else before + 2 * ROUNDS
    pending = sum(point.state == ScoreStanding.PENDING for point in line.points)
    return {
        "replies": line,
        "strip": [point for point in line.points if len(line.points) <= STRIP or point.round_id in there],
        "there": there,
        "last": last,
        "rounds": [(one, scores.get(one.round.pk, [])) for one in rounds],
        # The word that a round is read may come while the page is being asked for: until then it asks again by itself.
        "is_unread": any(one.round.maintenance in TO_MAINTAIN for one in rounds),
        "pending": pending,
        "unscored": line.turns - line.rate.scored - pending,
        "is_mine": is_mine(request, session),
        "speakers": speakers_in(session),
        "has_builtin": any(name.startswith("built-in") for name, _ in line.readers),
        "data": reverse("space-timeline-data", args=[session.space_id]) + data_query(request, session),
        "earlier": with_values(request, before=str(first)) if first > 0 else "",
        "later": with_values(request, before=str(newer) if newer is not None and newer <= last else "")
        if newer is not None
        else "",
    }


def speakers_in(session: Session) -> list[str]:
    """Return who talked last in a session, of whom one may be counted as the one who replies."""
    said = Turn.objects.filter(session=session).order_by("-index").values_list("speaker", flat=True)
    return sorted({*said[:LAST_TURNS], session.replies_by} - {"", Session.NOBODY})


def place_in(request: HttpRequest, last: int) -> int | None:
    """Return the index of the round before which the page ends; None for the newest page."""
    text = request.GET.get("before", "")
    if not (text.isascii() and text.isdecimal()) or len(text) > 9:
        return None
    return int(text) if 0 < int(text) <= last else None


def first_of(before: int | None, last: int) -> int:
    if before is not None:
        return max(before - 2 * ROUNDS, 0)
    return max((last // ROUNDS - 1) * ROUNDS, 0)


def page_of(number: int, last: int) -> str:
    """Return `before` of the page with this round; "" for the newest page."""
    index = number - 1
    return "" if index >= first_of(None, last) else str((index // ROUNDS + 1) * ROUNDS)


def is_mine(request: HttpRequest, session: Session) -> bool:
    """Return whether the reader may open the session's conversation."""
    conversation = getattr(session, "conversation", None)
    return conversation is not None and conversation.owner_id == request.user.pk


def data_query(request: HttpRequest, session: Session) -> str:
    as_of = request.GET.get("as_of", "")
    return f"?session={session.pk}" + (f"&as_of={as_of}" if as_of else "")


@own_page
def timeline_data(request: HttpRequest, space_id: int) -> JsonResponse:
    """Return the scores of the session's replies as columns, for the chart, and the mean CS of all of them."""
    space = space_visible(request, space_id)
    at = turn_asked(request, space, "as_of")
    session = session_asked(request, space, at)
    if session is None or session.last is None:
        return JsonResponse(columns((), last=0) | {"mean": None})
    line = reply_line(session, at=at)
    return JsonResponse(columns(line.points, last=session.last) | {"mean": line.consistency})


def columns(points: Sequence[LinePoint], *, last: int) -> dict[str, list[object]]:
    def column(read: Callable[[LinePoint], object]) -> list[object]:
        return [read(point) for point in points]

    return {
        "place": column(lambda point: point.place),
        "round": column(lambda point: point.round_id),
        "number": column(lambda point: point.number),
        "before": column(lambda point: page_of(point.number, last)),
        "cs": column(lambda point: point.consistency),
        "der": column(lambda point: point.running.rate),
        "scored": column(lambda point: point.running.scored),
        "label": column(lambda point: point.label or point.state),
    }


@require_POST
def retry(request: HttpRequest, space_id: int, round_id: int) -> HttpResponse:
    """Queue the maintenance of a failed round again, and show the same page of the timeline."""
    space = space_visible(request, space_id)
    failed = or_404(lambda: rounds_of(person(request.user)).get(pk=round_id, space=space))
    maintenance_retry(round=failed)
    return redirect(back_to(request, reverse("space-timeline", args=[space.pk])))
