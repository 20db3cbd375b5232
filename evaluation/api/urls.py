"""The addresses of measuring's API, under /api/."""

from __future__ import annotations

from django.urls import path

from evaluation.api import facts, scores

urlpatterns = [
    path("replies/<int:reply_id>/facts/", facts.ReplyFacts.as_view(), name="api-reply-facts"),
    path("sessions/<int:session_id>/scores/", scores.SessionScores.as_view(), name="api-session-scores"),
]
