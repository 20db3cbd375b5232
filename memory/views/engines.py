"""The pages of added engines: adding, changing, testing, removing; and which of them a memory offers."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from memory import bootstrap
from memory.adapters.language_models.addresses import address_fault, same_server
from memory.core.errors import MemoryCoreError
from memory.forms import EngineForm, EngineTestForm, OfferedEnginesForm
from memory.models import EngineRecord
from memory.selectors.choices import engines_added_by
from memory.services.accounts import person
from memory.services.added_engines import (
    engine_add,
    engine_change,
    engine_remove,
    engines_offer,
    key_of,
    may_add_engines,
    models_listed,
)
from memory.services.engines import engine_prove
from memory.views.rows import or_404
from memory.views.spaces import owned

MODELS_SHOWN = 200


def adding_check(request: HttpRequest) -> None:
    """Raise `PermissionDenied` where the user may not have the product connect to addresses of theirs."""
    if not may_add_engines(person(request.user)):
        raise PermissionDenied


def added(request: HttpRequest, engine_id: int) -> EngineRecord:
    """Return an engine that the user added. Raises `Http404` for another's."""
    return or_404(lambda: engines_added_by(person(request.user)).get(pk=engine_id))


@never_cache
@sensitive_post_parameters("key")
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def engine_new(request: HttpRequest) -> HttpResponse:
    """Show the empty form; add the engine of a filled one."""
    adding_check(request)
    form = EngineForm(request.POST or None, user=person(request.user))
    if not form.is_valid():
        return render_engine(request, form)
    made = engine_add(by=person(request.user), **form.fields_given())
    messages.success(request, f"{made.name} is added. Test it below.")
    return redirect("engine", made.pk)


@never_cache
@sensitive_post_parameters("key")
@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def engine(request: HttpRequest, engine_id: int) -> HttpResponse:
    """Show an engine; change it to what a filled form says."""
    shown = added(request, engine_id)
    if request.method == "POST":
        adding_check(request)
    form = EngineForm(request.POST or None, instance=added(request, engine_id), user=person(request.user))
    if not form.is_valid():
        return render_engine(request, form, shown)
    engine_change(engine=shown, **form.fields_given())
    messages.success(request, "Saved. Replies from now on are written so.")
    return redirect("engine", engine_id)


def render_engine(request: HttpRequest, form: EngineForm, shown: EngineRecord | None = None) -> HttpResponse:
    context = {
        "place": "settings",
        "form": form,
        "engine": shown,
        "key_is_kept": shown is not None and bool(shown.key),
        "key_fault": bootstrap.KEY_LOST if shown is not None and key_of(shown) is None else "",
        "offered_in": shown.offered_in.all() if shown else [],
        "may_add": may_add_engines(person(request.user)),
    }
    return render(request, "memory/engine.html", context, status=422 if form.errors else 200)


@require_POST
def remove(request: HttpRequest, engine_id: int) -> HttpResponse:
    gone = added(request, engine_id)
    engine_remove(engine=gone)
    messages.success(
        request, f"{gone.name} is removed, and its key with it. Conversations that used it use the default."
    )
    return redirect("settings")


@sensitive_post_parameters("key")
@sensitive_variables()
@require_POST
def models(request: HttpRequest, engine_id: int = 0) -> HttpResponse:
    """Show the models that the server of a form's address says it has."""
    shown = added(request, engine_id) if engine_id else None
    adding_check(request)
    address = request.POST.get("base_url", "").strip().rstrip("/")
    key = request.POST.get("key", "")
    if shown is not None and not key and same_server(address, shown.base_url):
        key = key_of(shown) or ""
    fault = address_fault(address)
    listed = None if fault else models_listed(base_url=address, key=key)
    context = {"fault": fault, "listed": listed and listed[:MODELS_SHOWN], "is_asked": True}
    return render(request, "memory/_engine_models.html", context)


@require_POST
def test(request: HttpRequest) -> HttpResponse:
    """Ask an engine and show what it can and how long it took, or one line that says what to do."""
    form = EngineTestForm(request.POST, user=person(request.user))
    proof, refusal = None, ""
    if form.is_valid():
        try:
            proof = engine_prove(name=form.cleaned_data["engine"])
        except MemoryCoreError as error:
            refusal = str(error)
    else:
        refusal = str(form.errors["engine"][0])
    if request.htmx:
        return render(request, "memory/_engine_proof.html", {"proof": proof, "refusal": refusal})
    if proof is not None:
        messages.success(request, f"It answered in {proof.seconds:.2f} s.")
    else:
        messages.error(request, refusal)
    return redirect("settings")


@require_POST
def offer(request: HttpRequest, space_id: int) -> HttpResponse:
    """Choose which added engines the people of a memory may pick. Raises `Http404` for engines that are another's."""
    space = owned(request, space_id)
    form = OfferedEnginesForm(request.POST, user=person(request.user), space=space)
    if not form.is_valid():
        raise Http404
    engines_offer(space=space, engines=form.cleaned_data["engines"])
    messages.success(request, "Saved. Conversations over this memory offer these engines.")
    return redirect("space-settings", space.pk)
