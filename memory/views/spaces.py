"""The settings of one memory: its name, its members, export and import, deletion."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from memory import selectors
from memory.core.errors import QuotaReached
from memory.core.knowledge_graph.rdf.parsing import GraphFileRefused
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.forms import ForgetForm, MemberForm, SpaceForm
from memory.models import ActRecord, Membership, Session, Space, SpaceInvitation
from memory.selectors.choices import engines_to_offer
from memory.selectors.owned import invitations_of
from memory.services import space_forget
from memory.services.accounts import person
from memory.services.acts import act_record
from memory.services.exchange import graph_export, graph_import, graph_job_create
from memory.services.exchange.import_job import AT_ONCE_BYTES
from memory.services.exchange.rdf_import import limits
from memory.services.members import (
    MembershipRefused,
    invitation_withdraw,
    member_invite,
    member_remove,
    space_rename,
)
from memory.services.quotas import in_bytes, quota_of, usage_of
from memory.services.space_json import space_export
from memory.views.downloads import download

GRAPH_FORMATS = (
    (GraphFormat.TURTLE, "Turtle"),
    (GraphFormat.JSON_LD, "JSON-LD"),
    (GraphFormat.RDF_XML, "RDF/XML"),
    (GraphFormat.N_QUADS, "N-Quads"),
)
EDITS = 10
INVITED = "The invitation waits. If there is an account {name}, its settings show it; whoever accepts it is a member."


def visible(request: HttpRequest, space_id: int) -> Membership:
    """Return the user's membership of a space. Raises `Http404` for another's space."""
    rows = Membership.objects.filter(user=person(request.user)).select_related("space")
    membership = rows.filter(space_id=space_id).first()
    if membership is None:
        raise Http404
    return membership


def owned(request: HttpRequest, space_id: int) -> Space:
    """Return a space that the user owns. Raises `PermissionDenied` for a member who is not an owner."""
    membership = visible(request, space_id)
    if membership.role != Membership.Role.OWNER:
        raise PermissionDenied
    return membership.space


@require_safe
def space(request: HttpRequest, space_id: int) -> HttpResponse:
    return render_space(request, visible(request, space_id))


def render_space(
    request: HttpRequest,
    membership: Membership,
    *,
    name_form: SpaceForm | None = None,
    member_form: MemberForm | None = None,
    forget_form: ForgetForm | None = None,
) -> HttpResponse:
    shown = membership.space
    refused = any(form is not None for form in (name_form, member_form, forget_form))
    context = {
        "space": shown,
        "is_owner": membership.role == Membership.Role.OWNER,
        "members": shown.memberships.select_related("user").order_by("id"),
        "invitations": invitations_of(shown),
        "counts": selectors.space_counts(shown),
        "engines": engines_to_offer(person(request.user), shown),
        "room": room_shown(shown),
        "formats": GRAPH_FORMATS,
        "edits": selectors.edits_of(person(request.user)).filter(space=shown).order_by("-pk")[:EDITS],
        "is_page": True,
        "sessions": Session.objects.filter(space=shown).count(),
        "name_form": name_form or SpaceForm(initial={"name": shown.name}),
        "member_form": member_form or MemberForm(),
        "forget_form": forget_form or ForgetForm(space=shown),
    }
    return render(request, "memory/space_settings.html", context, status=422 if refused else 200)


def room_shown(space: Space) -> list[tuple[str, int, int, str]]:
    """Return what a space holds of each measure: its name, how much, how much it may (0: no limit), and both in words."""
    used, quota = usage_of(space), quota_of(space)
    return [
        (name, holds, limit, f"{words(holds)} of {words(limit)}" if limit else words(holds))
        for name, holds, limit, words in (
            ("Turns", used.turns, quota.turns, "{:,}".format),
            ("Words", used.bytes, quota.bytes, in_bytes),
            ("Imports today", used.imports, quota.imports, "{:,}".format),
        )
    ]


@require_POST
def rename(request: HttpRequest, space_id: int) -> HttpResponse:
    space = owned(request, space_id)
    form = SpaceForm(request.POST)
    if not form.is_valid():
        return render_space(request, visible(request, space_id), name_form=form)
    space_rename(space=space, name=form.cleaned_data["name"])
    messages.success(request, "Renamed.")
    return redirect("space-settings", space.pk)


@require_POST
def member_new(request: HttpRequest, space_id: int) -> HttpResponse:
    space = owned(request, space_id)
    form = MemberForm(request.POST)
    if form.is_valid():
        try:
            invited = member_invite(space=space, username=form.cleaned_data["username"], by=person(request.user))
        except MembershipRefused as refusal:
            form.add_error("username", str(refusal))
        else:
            messages.success(request, INVITED.format(name=invited.username))
            return redirect("space-settings", space.pk)
    return render_space(request, visible(request, space_id), member_form=form)


@require_POST
def member_uninvite(request: HttpRequest, space_id: int, waiting_id: int) -> HttpResponse:
    space = owned(request, space_id)
    try:
        invitation_withdraw(space=space, invitation_id=waiting_id)
    except SpaceInvitation.DoesNotExist as error:
        raise Http404 from error
    messages.success(request, "The invitation is withdrawn.")
    return redirect("space-settings", space.pk)


@require_POST
def member_out(request: HttpRequest, space_id: int, user_id: int) -> HttpResponse:
    """Remove a member, or leave: an owner may remove anybody, a member only themselves."""
    mine = visible(request, space_id)
    if mine.role != Membership.Role.OWNER and user_id != person(request.user).pk:
        raise PermissionDenied
    membership = Membership.objects.filter(space_id=space_id, user_id=user_id).first()
    if membership is None:
        raise Http404
    try:
        member_remove(membership=membership)
    except MembershipRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("space-settings", space_id)
    if user_id == person(request.user).pk:
        messages.success(request, f"You left {mine.space.name}.")
        return redirect("settings")
    messages.success(request, "Removed. What was said stays remembered.")
    return redirect("space-settings", space_id)


@require_safe
def export(request: HttpRequest, space_id: int) -> HttpResponseBase:
    return export_response(visible(request, space_id).space, person(request.user))


def export_response(space: Space, reader: User) -> HttpResponseBase:
    """Return what a member reads of a space as a streamed JSON file."""
    act_record(kind=ActRecord.Kind.EXPORT, space=space, words="everything, as JSON")
    told = {"name": space.name, "otherwise": f"memory-{space.pk}"}
    return download(space_export(space=space, reader=reader), media_type="application/json", suffix="json", **told)


def graph_response(space: Space, form: GraphFormat) -> HttpResponseBase:
    """Return the space's graph as a streamed RDF file."""
    act_record(kind=ActRecord.Kind.EXPORT, space=space, words=f"the graph, as {form.value}")
    told = {"name": space.name, "otherwise": f"memory-{space.pk}"}
    document = graph_export(space=space, form=form)
    return download(document, media_type=f"{form.media_type}; charset=utf-8", suffix=form.suffix, **told)


@require_POST
def graph_in(request: HttpRequest, space_id: int) -> HttpResponse:
    """Import an RDF file; a refusal is shown on the page."""
    space = visible(request, space_id).space
    file = request.FILES.get("file")
    form = GraphFormat.of_file(file.name or "") if file is not None else None
    if file is None or form is None:
        messages.error(request, "Choose a file whose name ends in .ttl, .jsonld, .rdf or .nq.")
        return redirect("space-settings", space.pk)
    content, by = file.read(limits().size + 1), person(request.user)
    try:
        if AT_ONCE_BYTES < len(content) <= limits().size:
            job = graph_job_create(space=space, by=by, content=content, form=form, name=file.name or "")
            return redirect("import-job", job.pk)
        added = graph_import(space=space, content=content, form=form, name=file.name or "", by=by)
    except (GraphFileRefused, QuotaReached) as refusal:
        messages.error(request, f"Nothing was imported. {refusal}")
        return redirect("space-settings", space.pk)
    messages.success(request, f"Imported. {added}")
    return redirect("space-settings", space.pk)


@require_POST
def forget(request: HttpRequest, space_id: int) -> HttpResponse:
    """Delete a space after its name was typed."""
    space = owned(request, space_id)
    form = ForgetForm(request.POST, space=space)
    if not form.is_valid():
        return render_space(request, visible(request, space_id), forget_form=form)
    name = space.name
    space_forget(space=space, by=person(request.user))
    messages.success(request, f"{name} is forgotten: its conversations, sentences and facts are deleted.")
    return redirect("settings")
