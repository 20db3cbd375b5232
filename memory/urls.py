"""The addresses of accounts, settings and what is remembered."""

from __future__ import annotations

from django.urls import path

from memory.views import accounts, facts, margin, sentences

urlpatterns = [
    path("sign-in/", accounts.sign_in, name="sign-in"),
    path("sign-in/<str:uid>/<str:token>/", accounts.sign_in_link, name="sign-in-link"),
    path("sign-out/", accounts.sign_out, name="sign-out"),
    path("spaces/<int:space_id>/panel/", margin.panel, name="memory-panel"),
    path("rounds/<int:round_id>/retry/", margin.retry, name="maintenance-retry"),
    path("triples/<int:triple_id>/", facts.triple, name="triple"),
    path("triples/<int:triple_id>/forget/", facts.forget, name="triple-forget"),
    path("triples/<int:triple_id>/correct/", facts.correct, name="triple-correct"),
    path("sentences/<int:sentence_id>/", sentences.sentence, name="sentence"),
]
