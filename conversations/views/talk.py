"""The page of a conversation, and the empty page that starts one."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from conversations import selectors, services
from conversations.allowance import TOO_FAST, message_allowed
from conversations.bootstrap import default_responder
from conversations.core.errors import MessageRefused, ResponderUnavailable, SpaceFull, TooManyWaiting
from conversations.forms import NewConversationForm, engine_offers, responder_offers
from conversations.models import Conversation
from conversations.views.dialogue import exchanges
from conversations.views.history import list_page
from memory.bootstrap import has_language_model
from memory.core.errors import MemoryCoreError
from memory.selectors import space_at_home, spaces_of
from memory.services import space_personal
from memory.views.own_pages import own_page
from memory.views.rows import or_404


@own_page
def talk(request: HttpRequest) -> HttpResponse:
    """Show the empty page; the first message creates the conversation."""
    return render_blank(request, NewConversationForm(user=request.user))


def render_blank(request: HttpRequest, form: NewConversationForm, status: int = 200) -> HttpResponse:
    home = space_at_home(request.user) or space_personal(user=request.user)
    spaces = list(spaces_of(request.user))
    context = {
        "place": "talk",
        "form": form,
        "space": next((space for space in spaces if str(space.pk) == form["space"].value()), home),
        "spaces": spaces,
        "engines": engine_offers(spaces),
        "responders": responder_offers(),
        "limit": settings.DSMART_MESSAGE_LIMIT,
        **list_page(request.user),
    }
    return render(request, "conversations/new.html", context, status=status)


@require_POST
def conversation_new(request: HttpRequest) -> HttpResponse:
    form = NewConversationForm(request.POST, user=request.user)
    if not form.is_valid():
        return render_blank(request, form, status=422)
    if not message_allowed(request.user.pk):
        form.add_error("text", TOO_FAST)
        return render_blank(request, form, status=429)
    try:
        conversation = services.conversation_create(
            owner=request.user,
            space=form.cleaned_data["space"] or space_personal(user=request.user),
            engine=form.cleaned_data["engine"],
            responder=form.cleaned_data["responder"],
            remember=not form.cleaned_data["without_memory"],
        )
    except MemoryCoreError as error:
        form.add_error("engine", str(error))
        return render_blank(request, form, status=422)
    except ResponderUnavailable as error:
        form.add_error("responder", str(error))
        return render_blank(request, form, status=422)
    try:
        services.message_post(conversation=conversation, text=form.cleaned_data["text"])
    except MessageRefused as refusal:
        services.conversation_delete(conversation=conversation)
        form.add_error("text", str(refusal))
        return render_blank(request, form, status=refusal_status(refusal))
    return redirect("conversation", conversation.pk)


@own_page
def conversation(request: HttpRequest, conversation_id: int) -> HttpResponse:
    """Show a conversation; `?before=` shows the rounds before a round's index, `?since=` those from one on."""
    return render_conversation(request, owned(request, conversation_id))


def render_conversation(
    request: HttpRequest, conversation: Conversation, *, refusal: str = "", draft: str = "", status: int = 200
) -> HttpResponse:
    before = number_in(request, "before")
    since = number_in(request, "since")
    shown = exchanges(conversation, before=before, since=since)
    context: dict[str, Any] = {
        "place": "talk",
        "conversation": conversation,
        "space": conversation.space,
        "exchanges": shown,
        "before": before,
        "earlier": shown[0].round.index if shown and shown[0].round.index > 0 else None,
        "refusal": refusal,
        "draft": draft,
        "limit": settings.DSMART_MESSAGE_LIMIT,
    }
    if request.htmx and (before is not None or since is not None):
        return render(request, "conversations/_earlier.html", context)
    engines = engine_offers([conversation.space])
    context |= {
        "engines": engines,
        "default_engine": settings.DSMART_ENGINE,
        "has_model": has_language_model(conversation.engine),
        "keeps_task": (conversation.responder or default_responder(conversation.engine)) == "slsm",
        "engine_is_gone": conversation.engine not in {offer.value for offer in engines},
        "responders": responder_offers(),
        **list_page(request.user),
    }
    return render(request, "conversations/conversation.html", context, status=status)


@require_POST
def message_new(request: HttpRequest, conversation_id: int) -> HttpResponse:
    """Post a message from a page without JavaScript; other pages use their socket."""
    conversation = owned(request, conversation_id)
    text, answers = request.POST.get("text", ""), request.POST.get("answers", "")
    if not message_allowed(request.user.pk):
        return render_conversation(request, conversation, refusal=TOO_FAST, draft=text, status=429)
    try:
        reply = services.message_post(
            conversation=conversation,
            text=text,
            key=request.POST.get("key", "")[:200],
            answers=int(answers) if answers.isdecimal() and answers.isascii() else None,
        )
    except MessageRefused as refusal:
        return render_conversation(
            request, conversation, refusal=str(refusal), draft=text, status=refusal_status(refusal)
        )
    return redirect(f"{request.path.removesuffix('messages/')}#round-{reply.round_id}")


def refusal_status(refusal: MessageRefused) -> int:
    return 429 if isinstance(refusal, TooManyWaiting | SpaceFull) else 422


def owned(request: HttpRequest, conversation_id: int) -> Conversation:
    """Return the user's own conversation. Raises `Http404` for any other."""
    return or_404(lambda: selectors.conversation_of(request.user, conversation_id))


def number_in(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    if not value:
        return None
    if not value.isdecimal() or len(value) > 9:
        messages.error(
            request, "That address has a part that is not a number; this is the end of the conversation instead."
        )
        return None
    return int(value)
