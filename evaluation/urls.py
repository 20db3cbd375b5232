"""The addresses of measuring's pages."""

from __future__ import annotations

from django.urls import path

from evaluation.views import facts, notes, scores, timeline

urlpatterns = [
    path("spaces/<int:space_id>/timeline/", timeline.timeline, name="space-timeline"),
    path("spaces/<int:space_id>/timeline/data/", timeline.timeline_data, name="space-timeline-data"),
    path("spaces/<int:space_id>/timeline/rounds/<int:round_id>/retry/", timeline.retry, name="timeline-retry"),
    path("spaces/<int:space_id>/timeline/rounds/<int:round_id>/score/", scores.score_again, name="score-again"),
    path("rounds/<int:round_id>/score/", scores.round_score, name="round-score"),
    path("replies/<int:reply_id>/check/", facts.reply_check, name="reply-check"),
    path("replies/<int:reply_id>/check/again/", facts.check_again, name="reply-check-again"),
    path("about/entailment/", notes.entailment, name="about-entailment"),
]
