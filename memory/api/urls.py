"""The addresses of memory's API, under /api/."""

from __future__ import annotations

from django.urls import path

from memory.api import knowledge, sessions, spaces

urlpatterns = [
    path("", spaces.ApiRoot.as_view(), name="api-root"),
    path("spaces/", spaces.SpaceList.as_view(), name="api-spaces"),
    path("spaces/<int:space_id>/", spaces.SpaceDetail.as_view(), name="api-space"),
    path("spaces/<int:space_id>/export/", spaces.SpaceExport.as_view(), name="api-space-export"),
    path("spaces/<int:space_id>/sessions/", sessions.SessionList.as_view(), name="api-sessions"),
    path("spaces/<int:space_id>/triples/", knowledge.TripleList.as_view(), name="api-triples"),
    path("spaces/<int:space_id>/conflicts/", knowledge.ConflictList.as_view(), name="api-conflicts"),
    path("spaces/<int:space_id>/sentences/", knowledge.SentenceSearch.as_view(), name="api-sentences"),
    path("sessions/<int:session_id>/", sessions.SessionDetail.as_view(), name="api-session"),
    path("sessions/<int:session_id>/turns/", sessions.TurnList.as_view(), name="api-turns"),
    path("turns/<int:turn_id>/", sessions.TurnDetail.as_view(), name="api-turn"),
    path("triples/<int:triple_id>/", knowledge.TripleDetail.as_view(), name="api-triple"),
]
