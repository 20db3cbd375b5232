"""The score of a round's replies, shown beside them in the chat, and the button that asks for it again.

The chat loads the mark by its URL and knows nothing about scores; while a score is being computed, the mark reloads itself.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.core.errors import UnknownName
from evaluation.selectors import ScoreStanding
from evaluation.selectors.timeline import last_index, round_scores
from evaluation.services.score_promises import ENDED, replies_choose, scores_promise_again
from evaluation.views.timeline import page_of
from memory.selectors import rounds_of, sessions_of
from memory.services.accounts import person
from memory.views.dashboard.shell import space_visible
from memory.views.dashboard.triples import back_to
from memory.views.own_pages import own_page
from memory.views.rows import or_404

# So often a mark asks whether its score is there, each time later.
ASKED_MOST = 12


@own_page
def round_score(request: HttpRequest, round_id: int) -> HttpResponse:
    """Return the marks of a round's replies; empty where there is nothing to show."""
    # A page may still show a round that was put aside since.
    rounds = rounds_of(person(request.user), with_aside=True).select_related("session")
    round = or_404(lambda: rounds.get(pk=round_id))
    scores = round_scores(round) if round.session.is_remembered else []
    asked = min(int(text), ASKED_MOST) if (text := request.GET.get("asked", "0")).isdecimal() and len(text) < 4 else 0
    is_awaited = settings.DSMART_SCORES and (
        round.maintenance not in ENDED or any(score.state is ScoreStanding.PENDING for score in scores)
    )
    before = page_of(round.index + 1, last_index(round.session))
    context = {
        "round": round,
        "scored": [score for score in scores if score.state is ScoreStanding.SCORED],
        "asked": asked + 1 if is_awaited and asked < ASKED_MOST else 0,
        "wait": 2 + asked,
        "timeline": reverse("space-timeline", args=[round.space_id])
        + f"?session={round.session_id}"
        + (f"&before={before}" if before else "")
        + f"#round-{round.pk}",
    }
    return render(request, "evaluation/_score_mark.html", context)


@require_POST
def replies_by(request: HttpRequest, space_id: int, session_id: int) -> HttpResponse:
    """Choose whose turns count as a dialogue's replies, and show its timeline."""
    space = space_visible(request, space_id)
    session = or_404(lambda: sessions_of(person(request.user)).get(pk=session_id, space=space))
    try:
        replies_choose(session=session, speaker=request.POST.get("speaker", ""))
    except UnknownName as error:
        messages.error(request, str(error))
    return redirect(reverse("space-timeline", args=[space.pk]) + f"?session={session.pk}")


@require_POST
def score_again(request: HttpRequest, space_id: int, round_id: int) -> HttpResponse:
    """Queue a round's missing scores again, and show the same page of the timeline."""
    space = space_visible(request, space_id)
    round = or_404(lambda: rounds_of(person(request.user)).get(pk=round_id, space=space))
    scores_promise_again(round_id=round.pk)
    return redirect(back_to(request, reverse("space-timeline", args=[space.pk])))
