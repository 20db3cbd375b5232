"""The addresses of accounts, settings and what is remembered."""

from __future__ import annotations

from django.urls import path

from memory.views import accounts

urlpatterns = [
    path("sign-in/", accounts.sign_in, name="sign-in"),
    path("sign-in/<str:uid>/<str:token>/", accounts.sign_in_link, name="sign-in-link"),
    path("sign-out/", accounts.sign_out, name="sign-out"),
]
