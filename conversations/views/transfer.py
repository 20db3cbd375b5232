"""Exports and imports conversations."""

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from conversations import services
from conversations.core.errors import ImportRefused
from conversations.forms import ImportChoiceForm, ImportForm
from conversations.models import Conversation
from conversations.services.chat_imports import Choices, chats_job_begin, chats_job_create
from conversations.services.transfer import SIZE_LIMIT
from conversations.views.talk import owned
from memory.core.errors import QuotaReached
from memory.services import space_personal
from memory.services.accounts import person
from memory.views.downloads import download
from memory.views.imports import job_in

OWN_FORM = b'"dsmart-conversation"'
SNIFFED_BYTES = 4096

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
    user, file = person(request.user), form.cleaned_data["file"]
    space = space_personal(user=user)
    try:
        if is_own(file):
            conversation = services.conversation_import(owner=user, space=space, payload=file.read(SIZE_LIMIT + 1))
            messages.success(request, "Imported. It is being read into your memory.")
            return redirect("conversation", conversation.pk)
        job = chats_job_create(space=space, owner=user, file=file, name=file.name or "")
    except (ImportRefused, QuotaReached) as refusal:
        messages.error(request, str(refusal))
        return redirect("history")
    return redirect("import-job", job.pk)


def is_own(file: UploadedFile) -> bool:
    """Return whether a file says at its beginning that it was exported here; another program's chats are large."""
    head = file.read(SNIFFED_BYTES)
    file.seek(0)
    return OWN_FORM in head


@require_POST
def import_begin(request: HttpRequest, job_id: int) -> HttpResponse:
    """Bring in what was chosen of an export that was read."""
    job = job_in(request, job_id)
    form = ImportChoiceForm(request.POST)
    if not form.is_valid():
        messages.error(request, next(iter(form.errors.values()))[0])
        return redirect("import-job", job.pk)
    asked = form.cleaned_data
    choices = Choices(
        since=asked["since"],
        keys=frozenset(request.POST.getlist("key")) if asked["which"] == "chosen" else None,
        remember=asked["remember"],
        replies=asked["replies"],
    )
    try:
        if not chats_job_begin(job=job, choices=choices):
            messages.error(request, "This import was begun already.")
    except QuotaReached as reached:
        messages.error(request, str(reached))
    return redirect("import-job", job.pk)
