"""Renames, archives and deletes a conversation, chooses its engine and responder, and whether its replies are checked."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from conversations import services
from conversations.core.errors import ConversationError
from conversations.forms import ChoiceForm, RenameForm
from conversations.views.talk import owned
from memory.core.errors import MemoryCoreError


@require_POST
def rename(request: HttpRequest, conversation_id: int) -> HttpResponse:
    conversation = owned(request, conversation_id)
    form = RenameForm(request.POST)
    if form.is_valid():
        services.conversation_rename(conversation=conversation, title=form.cleaned_data["title"])
    else:
        messages.error(request, form.errors["title"][0])
    return redirect("conversation", conversation.pk)


@require_POST
def engine(request: HttpRequest, conversation_id: int) -> HttpResponse:
    conversation = owned(request, conversation_id)
    form = ChoiceForm(request.POST, space=conversation.space)
    if not form.is_valid():
        messages.error(request, next(iter(form.errors.values()))[0])
        return redirect("conversation", conversation.pk)
    try:
        services.conversation_choose(conversation=conversation, **form.cleaned_data)
        messages.success(request, "The next replies are written as you chose.")
    except (MemoryCoreError, ConversationError) as error:
        messages.error(request, str(error))
    return redirect("conversation", conversation.pk)


@require_POST
def checks(request: HttpRequest, conversation_id: int) -> HttpResponse:
    """Have what replies state checked, or with `checks_facts=0` no more."""
    conversation = owned(request, conversation_id)
    services.conversation_check_facts(conversation=conversation, checks_facts=request.POST.get("checks_facts") != "0")
    return redirect("conversation", conversation.pk)


@require_POST
def archive(request: HttpRequest, conversation_id: int) -> HttpResponse:
    """Archive, or with `archived=0` bring back."""
    conversation = owned(request, conversation_id)
    archived = request.POST.get("archived") != "0"
    services.conversation_archive(conversation=conversation, archived=archived)
    if archived:
        messages.success(request, "Archived. What you said in it is still remembered.")
        return redirect("talk")
    return redirect("conversation", conversation.pk)


@require_POST
def delete(request: HttpRequest, conversation_id: int) -> HttpResponse:
    services.conversation_delete(conversation=owned(request, conversation_id))
    messages.success(request, "Deleted, and what was learnt from it is forgotten.")
    return redirect("talk")
