"""Signing in by password or by a one-time link, and signing out."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from memory.forms import SignInForm
from memory.services.accounts import link_account, link_redeem, speaker_name


class SignIn(LoginView):
    """Name and password. `next` is followed on this host only."""

    template_name = "memory/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Ends the session, by POST only, so that no page elsewhere can do it by a picture or a link."""


@never_cache
@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, uid: str, token: str) -> HttpResponse:
    """Show a button; pressing it uses the link up and signs in.

    A GET leaves the link as it is: terminals, messengers and browsers fetch addresses ahead to preview them, and would
    otherwise spend the one use before the person does.
    """
    if request.method == "POST":
        user = link_redeem(uid=uid, token=token)
        if user is not None:
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            return redirect("talk")
    else:
        user = link_account(uid=uid, token=token)
    if user is None:
        response = render(request, "memory/sign_in_link_used.html", status=410)
    else:
        response = render(request, "memory/sign_in_link.html", {"name": speaker_name(user)})
    # The address is a key: it must not travel to another site as the page that the visitor came from. ("no-referrer" would
    # also blank the origin of the button's own request, which Django then refuses.)
    response["Referrer-Policy"] = "same-origin"
    return response


sign_in = method_decorator(never_cache, name="dispatch")(SignIn).as_view()
sign_out = SignOut.as_view()
