"""The addresses of measuring's API, under /api/."""

from __future__ import annotations

from django.urls import path

from evaluation.api import scores

urlpatterns = [
    path("sessions/<int:session_id>/scores/", scores.SessionScores.as_view(), name="api-session-scores"),
]
