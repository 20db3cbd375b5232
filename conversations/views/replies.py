"""A reply and its actions: stop, answer again, retry, edit the message."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import trigger_client_event

from conversations import selectors, services
from conversations.core.errors import MessageRefused
from conversations.models import Reply
from conversations.views.dialogue import Exchange, exchange_of
from memory.views.own_pages import own_page
from memory.views.rows import or_404


def owned(request: HttpRequest, reply_id: int) -> Reply:
    """Return a reply of the user's own conversations. Raises `Http404` for any other."""
    return or_404(lambda: selectors.reply_of(request.user, reply_id))


def render_exchange(request: HttpRequest, shown: Exchange, *, refusal: str = "") -> HttpResponse:
    return render(request, "conversations/_round.html", {"exchange": shown, "refusal": refusal})


@own_page
def reply(request: HttpRequest, reply_id: int) -> HttpResponse:
    """Return the server's rendering of a reply."""
    found = owned(request, reply_id)
    if not request.htmx:
        return redirect(address_of(found))
    return render(request, "conversations/_reply.html", {"exchange": exchange_of(found)})


@own_page
def exchange(request: HttpRequest, reply_id: int) -> HttpResponse:
    """Return the server's rendering of the reply's whole round."""
    found = owned(request, reply_id)
    if not request.htmx:
        return redirect(address_of(found))
    return render_exchange(request, exchange_of(found))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, reply_id: int) -> HttpResponse:
    """Show a form with the message's words, or replace them and queue a new reply."""
    found = owned(request, reply_id)
    text = request.POST.get("text", "")
    refusal = ""
    if request.method == "POST":
        try:
            return answered(request, services.message_edit(reply=found, text=text))
        except MessageRefused as refused:
            refusal = str(refused)
    context = {"exchange": exchange_of(found), "refusal": refusal, "text": text, "limit": settings.DSMART_MESSAGE_LIMIT}
    template = "conversations/_edit.html" if request.htmx else "conversations/edit.html"
    return render(request, template, context)


@require_POST
def regenerate(request: HttpRequest, reply_id: int) -> HttpResponse:
    return anew(request, reply_id, services.reply_regenerate)


@require_POST
def retry(request: HttpRequest, reply_id: int) -> HttpResponse:
    return anew(request, reply_id, services.reply_retry)


@require_POST
def stop(request: HttpRequest, reply_id: int) -> HttpResponse:
    found = owned(request, reply_id)
    services.reply_stop(reply=found)
    return HttpResponse(status=204) if request.htmx else redirect(address_of(found))


def anew(request: HttpRequest, reply_id: int, service: Callable[..., Reply]) -> HttpResponse:
    found = owned(request, reply_id)
    try:
        return answered(request, service(reply=found))
    except MessageRefused as refused:
        if request.htmx:
            return render_exchange(request, exchange_of(found), refusal=str(refused))
        messages.error(request, str(refused))
        return redirect(address_of(found))


@require_POST
def version(request: HttpRequest, round_id: int) -> HttpResponse:
    """Let a version of a message stand in its conversation."""
    wanted = or_404(lambda: selectors.version_in(request.user, round_id))
    conversation, refusal = wanted.session.conversation, ""
    try:
        services.version_show(conversation=conversation, round=wanted)
    except MessageRefused as refused:
        refusal = str(refused)
    shown = selectors.replies_of(request.user).filter(
        is_current=True, round__version_of=wanted.version_of_id, round__aside_with=None
    )
    standing = shown.values_list("pk", flat=True).first() if wanted.version_of_id is not None else None
    if not request.htmx or standing is None:
        if refusal:
            messages.error(request, refusal)
        address = f"{reverse('conversation', args=[conversation.pk])}#round-{wanted.pk}"
        return HttpResponse(headers={"HX-Redirect": address}) if request.htmx else redirect(address)
    return with_news(render_exchange(request, exchange_of(owned(request, standing)), refusal=refusal))


def answered(request: HttpRequest, fresh: Reply) -> HttpResponse:
    if not request.htmx:
        return redirect(address_of(fresh))
    return with_news(render_exchange(request, exchange_of(owned(request, fresh.pk))))


def with_news(response: HttpResponse) -> HttpResponse:
    """Say to the page that what follows the round may be another than it shows."""
    return trigger_client_event(response, "dialogue-changed", after="swap")


def address_of(found: Reply) -> str:
    return f"{reverse('conversation', args=[found.conversation_id])}#round-{found.round_id}"
