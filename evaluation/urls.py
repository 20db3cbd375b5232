"""The addresses of measuring's pages."""

from __future__ import annotations

from django.urls import path

from evaluation.views import timeline

urlpatterns = [
    path("spaces/<int:space_id>/timeline/", timeline.timeline, name="space-timeline"),
    path("spaces/<int:space_id>/timeline/data/", timeline.timeline_data, name="space-timeline-data"),
    path("spaces/<int:space_id>/timeline/rounds/<int:round_id>/retry/", timeline.retry, name="timeline-retry"),
]
