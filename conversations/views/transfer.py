"""Exports and imports conversations."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from conversations import services
from conversations.core.errors import ImportRefused
from conversations.forms import ImportForm
from conversations.models import Conversation
from conversations.views.talk import owned
from memory.core.errors import QuotaReached
from memory.services import space_personal
from memory.views.downloads import download

FORMS = {"json": ("application/json", "json"), "markdown": ("text/markdown; charset=utf-8", "md")}


@require_safe
def conversation_export(request: HttpRequest, conversation_id: int, form: str) -> HttpResponseBase:
    if form not in FORMS:
        raise Http404
    return export_response(owned(request, conversation_id), form)


def export_response(conversation: Conversation, form: str) -> HttpResponseBase:
    media_type, suffix = FORMS[form]
    document = services.conversation_export(conversation=conversation, format=form)
    fallback = f"conversation-{conversation.pk}"
    return download(document, media_type=media_type, name=conversation.title, suffix=suffix, otherwise=fallback)


@require_POST
def conversation_import(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, form.errors["file"][0])
        return redirect("history")
    try:
        conversation = services.conversation_import(
            owner=request.user, space=space_personal(user=request.user), payload=form.cleaned_data["file"].read()
        )
    except (ImportRefused, QuotaReached) as refusal:
        messages.error(request, str(refusal))
        return redirect("history")
    messages.success(request, "Imported. It is being read into your memory.")
    return redirect("conversation", conversation.pk)
