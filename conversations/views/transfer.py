"""Exports and imports conversations."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from conversations import services
from conversations.core.errors import ImportRefused
from conversations.forms import ImportForm
from conversations.views.talk import owned
from memory.core.errors import QuotaReached
from memory.services import space_personal

FORMS = {"json": ("application/json", "json"), "markdown": ("text/markdown; charset=utf-8", "md")}


@require_safe
def conversation_export(request: HttpRequest, conversation_id: int, form: str) -> HttpResponse:
    if form not in FORMS:
        raise Http404
    conversation = owned(request, conversation_id)
    content_type, ending = FORMS[form]
    response = HttpResponse(
        services.conversation_export(conversation=conversation, format=form), content_type=content_type
    )
    name = slugify(conversation.title)[:60] or f"conversation-{conversation.pk}"
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return response


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
