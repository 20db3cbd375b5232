"""The settings page: engines, the account, its API tokens, its memories."""

from django.conf import settings as configured
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from memory import bootstrap
from memory.adapters.row_security.scope import everything
from memory.forms import ProfileForm, SpaceForm, TokenForm
from memory.models import Membership, SpaceInvitation, TokenRecord
from memory.selectors.choices import engines_added_by, engines_to_test
from memory.selectors.owned import invitations_for
from memory.services import space_create
from memory.services.accounts import account_rename, person, speaker_name
from memory.services.added_engines import may_add_engines
from memory.services.members import invitation_decline, invitation_take
from memory.services.tokens import TokenRefused, token_make, token_revoke, tokens_revoke
from memory.views.own_pages import own_page


@own_page
def settings(request: HttpRequest) -> HttpResponse:
    return render_settings(request)


def render_settings(
    request: HttpRequest,
    *,
    profile: ProfileForm | None = None,
    password: SetPasswordForm | None = None,
    space_form: SpaceForm | None = None,
    token_form: TokenForm | None = None,
    fresh_token: str = "",
) -> HttpResponse:
    """Return the whole page; a form that was refused comes back with its errors."""
    user = person(request.user)
    refused = any(form is not None for form in (profile, password, space_form, token_form))
    context = {
        "place": "settings",
        "engines": bootstrap.engine_names(),
        "default_engine": configured.DSMART_ENGINE,
        "added": engines_added_by(user),
        "lent": engines_to_test(user).exclude(added_by=user),
        "may_add": may_add_engines(user),
        # Read anew: a refused form has written its values on the user of the request.
        "speaker": speaker_name(User.objects.get(pk=user.pk)) if profile else speaker_name(user),
        "profile": profile or ProfileForm(instance=user),
        "password": password or password_form(user),
        "space_form": space_form or SpaceForm(),
        "tokens": TokenRecord.objects.filter(user=user).select_related("space").order_by("-pk"),
        "token_form": token_form or TokenForm(user=user),
        "now": timezone.now(),
        "fresh_token": fresh_token,
        "memberships": Membership.objects.filter(user=user).select_related("space").order_by("space_id"),
    }
    with everything():
        context["invitations"] = list(invitations_for(user))
    return render(request, "memory/settings.html", context, status=422 if refused else 200)


def password_form(user: User, data: object = None) -> SetPasswordForm:
    """Return the form that sets a first password, or the one that changes it and asks for the old one."""
    return (PasswordChangeForm if user.has_usable_password() else SetPasswordForm)(user, data)


@require_POST
def profile(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST, instance=User.objects.get(pk=person(request.user).pk))
    if not form.is_valid():
        return render_settings(request, profile=form)
    account_rename(user=User.objects.get(pk=person(request.user).pk), **form.cleaned_data)
    messages.success(request, "Saved. From now on you speak under this name.")
    return redirect("settings")


@sensitive_post_parameters()
@require_POST
def password(request: HttpRequest) -> HttpResponse:
    form = password_form(person(request.user), request.POST)
    if not form.is_valid():
        return render_settings(request, password=form)
    # Before the password: where saving it fails, they are ended and no new password says that they are. After it, for those
    # that somebody else made meanwhile.
    ends = bool(request.POST.get("end_tokens"))
    ended = tokens_revoke(user=person(request.user)) if ends else 0
    update_session_auth_hash(request, form.save())
    ended += tokens_revoke(user=person(request.user)) if ends else 0
    told = f" {ended} API {'token was' if ended == 1 else 'tokens were'} ended." if ended else ""
    messages.success(request, f"Your password is set. Other browsers were signed out.{told}")
    return redirect("settings")


@never_cache
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    """Make a token, and show it once."""
    user = person(request.user)
    form = TokenForm(request.POST, user=user)
    if not form.is_valid():
        return render_settings(request, token_form=form)
    try:
        return render_settings(request, fresh_token=token_make(user=user, **form.cleaned_data))
    except TokenRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("settings")


@require_POST
def token_remove(request: HttpRequest, token_id: int) -> HttpResponse:
    token = TokenRecord.objects.select_related("user").filter(user=person(request.user), pk=token_id).first()
    if token is None:
        raise Http404
    token_revoke(token=token)
    messages.success(request, f"{token.name} is revoked. Programs that use it are refused from now on.")
    return redirect("settings")


@require_POST
def space_new(request: HttpRequest) -> HttpResponse:
    form = SpaceForm(request.POST)
    if not form.is_valid():
        return render_settings(request, space_form=form)
    space = space_create(name=form.cleaned_data["name"], owner=person(request.user))
    messages.success(request, f"{space.name} is ready. Choose it when you start a conversation.")
    return redirect("space-settings", space.pk)


@require_POST
def invitation(request: HttpRequest, waiting_id: int, answer: str) -> HttpResponse:
    """Take an invitation to a memory, or decline it."""
    user = person(request.user)
    try:
        if answer == "decline":
            invitation_decline(invitation_id=waiting_id, user=user)
            messages.success(request, "Declined. Whoever invited you is not told.")
            return redirect("settings")
        membership = invitation_take(invitation_id=waiting_id, user=user)
    except SpaceInvitation.DoesNotExist as error:
        raise Http404 from error
    messages.success(request, f"You are a member of {membership.space.name} now.")
    return redirect("space-settings", membership.space_id)
