"""The addresses of measuring's API, under /api/."""

from __future__ import annotations

from django.urls import path

from evaluation.api import facts, runs, scores

urlpatterns = [
    path("runs/", runs.RunList.as_view(), name="api-runs"),
    path("runs/<int:run_id>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<int:run_id>/items/", runs.RunItemList.as_view(), name="api-run-items"),
    path("runs/<int:run_id>/export/<str:form>/", runs.RunExport.as_view(), name="api-run-export"),
    path("items/<int:item_id>/", runs.ItemDetail.as_view(), name="api-item"),
    path("items/<int:item_id>/override/", runs.ItemOverride.as_view(), name="api-item-override"),
    path("replies/<int:reply_id>/facts/", facts.ReplyFacts.as_view(), name="api-reply-facts"),
    path("sessions/<int:session_id>/scores/", scores.SessionScores.as_view(), name="api-session-scores"),
]
