"""The trace of a reply, under the reply and on its own page, and a space's list of traces."""

from typing import Any, TypeVar

from django.conf import settings
from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from conversations import selectors, services
from conversations.allowance import TOO_FAST, message_allowed
from conversations.core.errors import MessageRefused
from conversations.models import Reply
from conversations.views.replies import owned
from memory.core.tracing import restored
from memory.core.types import Role
from memory.models import Session, Turn
from memory.selectors import sessions_of
from memory.selectors.tracing import STEPS_A_PAGE, ModelUse, steps_of
from memory.services.accounts import person, speaker_name
from memory.trace_views.base import ALL_FACTS, FACTS_A_STEP, Reading, blocks_of
from memory.views.dashboard.shell import shell, space_visible
from memory.views.own_pages import own_page

PAGE = 25
RowT = TypeVar("RowT", bound=Model)


@own_page
def reply_reasoning(request: HttpRequest, reply_id: int) -> HttpResponse:
    """Show the trace of a reply, a page of steps at a time; `?step=` shows one step with all its facts."""
    reply = owned(request, reply_id)
    step, after = number_asked(request, "step"), number_asked(request, "after") or 0
    trace = selectors.reply_trace(reply)
    reading = Reading(
        space_id=reply.conversation.space_id,
        reader=speaker_name(person(request.user)),
        facts=FACTS_A_STEP if step is None else ALL_FACTS,
        is_ended=reply.is_terminal,
    )
    if step is not None:
        return render_step(request, reply, step, reading)
    steps = steps_of(trace, after=after, limit=STEPS_A_PAGE + 1) if trace is not None else []
    blocks = blocks_of(steps[:STEPS_A_PAGE], reading)
    context: dict[str, Any] = {
        "reply": reply,
        "trace": trace,
        "blocks": blocks,
        "use": ModelUse.of(reply.model_use),
        "earlier": after,
        "later": steps[STEPS_A_PAGE - 1].number if len(steps) > STEPS_A_PAGE else None,
        "place": "talk",
        "is_alone": "alone" in request.GET,
    }
    if request.htmx:
        return render(request, "conversations/_trace.html", context)
    asked = Turn.everything.filter(round=reply.round_id, role=Role.USER).defer("search").first()
    return render(request, "conversations/reasoning.html", context | {"message": asked, "is_alone": True})


def render_step(request: HttpRequest, reply: Reply, number: int, reading: Reading) -> HttpResponse:
    trace = selectors.reply_trace(reply)
    steps = steps_of(trace, after=number - 1, limit=1) if trace is not None else []
    if not steps or steps[0].number != number:
        raise Http404
    [drawn] = blocks_of(steps, reading)
    return render(request, "conversations/step.html", {"reply": reply, "drawn": drawn, "place": "talk"})


@own_page
def space_reasoning(request: HttpRequest, space_id: int) -> HttpResponse:
    """List the user's replies over a space that have a trace to be read, newest first: as of a turn, of one session."""
    space = space_visible(request, space_id)
    context = shell(request, space, "reasoning")
    session = session_asked(request, space_id)
    replies = selectors.traces_in(
        person(request.user), space, before=number_asked(request, "before"), as_of=context["as_of"], session=session
    )
    found, older = page_of(request, replies)
    rows = [(reply, ModelUse.of(reply.model_use)) for reply in found]
    context |= {"rows": rows, "older": older, "session": session}
    return render(request, "conversations/space_reasoning.html", context)


@own_page
def space_unknowns(request: HttpRequest, space_id: int) -> HttpResponse:
    """List what stayed unknown of what the user asked, newest first: as of a turn, of one session."""
    space = space_visible(request, space_id)
    context = shell(request, space, "unknowns")
    session = session_asked(request, space.pk)
    unknowns = selectors.unknowns_in(
        person(request.user), space, before=number_asked(request, "before"), as_of=context["as_of"], session=session
    )
    found, older = page_of(request, unknowns)
    rows = [(row, restored(row.kind, row.figures, row.words)) for row in found]
    context |= {"rows": rows, "older": older, "session": session, "limit": settings.DSMART_MESSAGE_LIMIT}
    return render(request, "conversations/space_unknowns.html", context)


@require_POST
def unknown_answer(request: HttpRequest, space_id: int, step_id: int) -> HttpResponse:
    """Say the answer to an unknown question in the conversation that it was asked in."""
    space = space_visible(request, space_id)
    user, text = person(request.user), request.POST.get("text", "")
    unknown = selectors.unknowns_in(user, space).filter(pk=step_id, is_remembered=True).first()
    if unknown is None:
        messages.info(request, "This question cannot be answered here any more. Nothing was sent.")
        return redirect("space-unknowns", space_id)
    conversation = selectors.conversation_of(user, unknown.conversation_id)
    try:
        if not message_allowed(user.pk):
            raise MessageRefused(TOO_FAST)
        services.unknown_answer(unknown=unknown, conversation=conversation, text=text)
    except MessageRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, "Your answer was sent to the conversation. It will be learnt from there.")
    return redirect("space-unknowns", space_id)


def session_asked(request: HttpRequest, space_id: int) -> Session | None:
    """Return the session of the space that `?session=` names, or None. Raises `Http404` for any other."""
    asked = number_asked(request, "session")
    if asked is None:
        return None
    session = sessions_of(person(request.user)).filter(space=space_id, pk=asked).first()
    if session is None:
        raise Http404
    return session


def number_asked(request: HttpRequest, name: str) -> int | None:
    """Return a URL parameter as a number, None where it is absent. Raises `Http404` where it is none."""
    asked = request.GET.get(name, "")
    if not asked:
        return None
    if not (asked.isascii() and asked.isdecimal()) or len(asked) > 18:
        raise Http404
    return int(asked)


def page_of(request: HttpRequest, rows: QuerySet[RowT]) -> tuple[list[RowT], str]:
    """Return a page of rows, and the URL of the page after it with the same parameters; empty where there is none."""
    found = list(rows[: PAGE + 1])
    if len(found) <= PAGE:
        return found, ""
    query = request.GET.copy()
    query["before"] = str(found[PAGE - 1].pk)
    return found[:PAGE], f"{request.path}?{query.urlencode()}"
