"""The addresses of memory's API, under /api/."""

from django.urls import path

from memory.api import edits, entities, exchange, imports, knowledge, knowledge_bases, sessions, spaces, states

urlpatterns = [
    path("", spaces.ApiRoot.as_view(), name="api-root"),
    path("spaces/", spaces.SpaceList.as_view(), name="api-spaces"),
    path("spaces/<int:space_id>/", spaces.SpaceDetail.as_view(), name="api-space"),
    path("spaces/<int:space_id>/export/", spaces.SpaceExport.as_view(), name="api-space-export"),
    path("spaces/<int:space_id>/graph/", exchange.SpaceGraph.as_view(), name="api-graph"),
    path("spaces/<int:space_id>/graph/at/<int:turn_id>/", exchange.GraphAsOf.as_view(), name="api-graph-at"),
    path("spaces/<int:space_id>/graph/difference/", exchange.GraphDifference.as_view(), name="api-graph-difference"),
    path("spaces/<int:space_id>/sessions/", sessions.SessionList.as_view(), name="api-sessions"),
    path("spaces/<int:space_id>/triples/", knowledge.TripleList.as_view(), name="api-triples"),
    path("spaces/<int:space_id>/conflicts/", knowledge.ConflictList.as_view(), name="api-conflicts"),
    path("spaces/<int:space_id>/sentences/", knowledge.SentenceSearch.as_view(), name="api-sentences"),
    path("spaces/<int:space_id>/knowledge/", knowledge_bases.KnowledgeList.as_view(), name="api-knowledge-bases"),
    path(
        "spaces/<int:space_id>/knowledge/candidates/",
        knowledge_bases.KnowledgeCandidates.as_view(),
        name="api-knowledge-candidates",
    ),
    path("knowledge/<int:base_id>/", knowledge_bases.KnowledgeDetail.as_view(), name="api-knowledge-base"),
    path("imports/", imports.ImportList.as_view(), name="api-imports"),
    path("imports/<int:job_id>/", imports.ImportDetail.as_view(), name="api-import"),
    path("imports/<int:job_id>/stop/", imports.ImportStop.as_view(), name="api-import-stop"),
    path("imports/<int:job_id>/go-on/", imports.ImportGoOn.as_view(), name="api-import-go-on"),
    path("sessions/<int:session_id>/", sessions.SessionDetail.as_view(), name="api-session"),
    path("sessions/<int:session_id>/turns/", sessions.TurnList.as_view(), name="api-turns"),
    path("sessions/<int:session_id>/state/", states.StateElementList.as_view(), name="api-state"),
    path("sessions/<int:session_id>/state/refused/", states.StateRefusalList.as_view(), name="api-state-refused"),
    path("elements/<int:element_id>/", states.StateElementDetail.as_view(), name="api-element"),
    path("turns/<int:turn_id>/", sessions.TurnDetail.as_view(), name="api-turn"),
    path("triples/<int:triple_id>/", knowledge.TripleDetail.as_view(), name="api-triple"),
    path("triples/<int:triple_id>/retract/", edits.TripleRetract.as_view(), name="api-triple-retract"),
    path("spaces/<int:space_id>/entities/", entities.EntityList.as_view(), name="api-entities"),
    path("entities/<int:entity_id>/", entities.EntityDetail.as_view(), name="api-entity"),
    path("entities/<int:entity_id>/merge/", entities.EntityMerge.as_view(), name="api-entity-merge"),
    path("entities/<int:entity_id>/split/", entities.EntitySplit.as_view(), name="api-entity-split"),
    path("spaces/<int:space_id>/predicates/", edits.PredicateList.as_view(), name="api-predicates"),
    path("spaces/<int:space_id>/predicates/<str:name>/", edits.PredicateDetail.as_view(), name="api-predicate"),
    path("conflicts/<int:conflict_id>/decide/", edits.ConflictDecide.as_view(), name="api-conflict-decide"),
    path("spaces/<int:space_id>/edits/", edits.EditList.as_view(), name="api-edits"),
    path("edits/<int:edit_id>/undo/", edits.EditUndo.as_view(), name="api-edit-undo"),
]
