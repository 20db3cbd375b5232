"""The addresses of accounts, settings and what is remembered."""

from __future__ import annotations

from django.urls import path

from memory.views import accounts, facts, margin, sentences, settings, spaces
from memory.views.dashboard import conflicts, digests, entities, forgetting, graph, sentence_graph, shell, triples
from memory.views.dashboard import sentences as said

urlpatterns = [
    path("sign-in/", accounts.sign_in, name="sign-in"),
    path("sign-in/<str:uid>/<str:token>/", accounts.sign_in_link, name="sign-in-link"),
    path("sign-out/", accounts.sign_out, name="sign-out"),
    path("settings/", settings.settings, name="settings"),
    path("settings/profile/", settings.profile, name="profile"),
    path("settings/password/", settings.password, name="password"),
    path("settings/token/", settings.token, name="token"),
    path("settings/token/delete/", settings.token_remove, name="token-delete"),
    path("settings/engines/test/", settings.engine_test, name="engine-test"),
    path("settings/spaces/", settings.space_new, name="space-new"),
    path("settings/spaces/<int:space_id>/", spaces.space, name="space-settings"),
    path("settings/spaces/<int:space_id>/rename/", spaces.rename, name="space-rename"),
    path("settings/spaces/<int:space_id>/members/", spaces.member_new, name="member-new"),
    path("settings/spaces/<int:space_id>/members/<int:user_id>/remove/", spaces.member_out, name="member-remove"),
    path("settings/spaces/<int:space_id>/export/", spaces.export, name="space-export"),
    path("settings/spaces/<int:space_id>/graph/", spaces.graph_in, name="space-graph-import"),
    path("settings/spaces/<int:space_id>/forget/", spaces.forget, name="space-forget"),
    path("memory/", shell.memory, name="memory"),
    path("spaces/<int:space_id>/", shell.space_memory, name="space-memory"),
    path("spaces/<int:space_id>/graph/", graph.graph, name="space-graph"),
    path("spaces/<int:space_id>/graph/data/", graph.graph_data, name="space-graph-data"),
    path("spaces/<int:space_id>/graph/find/", graph.graph_find, name="space-graph-find"),
    path("spaces/<int:space_id>/graph/facts/<int:triple_id>/", graph.graph_fact, name="space-graph-fact"),
    path("spaces/<int:space_id>/graph/entities/<int:entity_id>/", graph.graph_entity, name="space-graph-entity"),
    path("spaces/<int:space_id>/conflicts/", conflicts.conflicts, name="space-conflicts"),
    path("spaces/<int:space_id>/triples/", triples.triples, name="space-triples"),
    path("spaces/<int:space_id>/predicates/", triples.declare, name="predicate-declare"),
    path("spaces/<int:space_id>/sentences/", said.sentences, name="space-sentences"),
    path("spaces/<int:space_id>/sentence-graph/", sentence_graph.sentence_graph, name="space-sentence-graph"),
    path(
        "spaces/<int:space_id>/sentence-graph/data/",
        sentence_graph.sentence_graph_data,
        name="space-sentence-graph-data",
    ),
    path(
        "spaces/<int:space_id>/sentence-graph/sentences/<int:sentence_id>/",
        sentence_graph.sentence_panel,
        name="space-sentence-graph-panel",
    ),
    path("spaces/<int:space_id>/digests/", digests.digests, name="space-digests"),
    path("spaces/<int:space_id>/digests/<int:digest_id>/forget/", digests.forget, name="digest-forget"),
    path("spaces/<int:space_id>/entities/", entities.entities, name="space-entities"),
    path("spaces/<int:space_id>/forget/", forgetting.forget, name="memory-forget"),
    path("spaces/<int:space_id>/panel/", margin.panel, name="memory-panel"),
    path("rounds/<int:round_id>/retry/", margin.retry, name="maintenance-retry"),
    path("triples/<int:triple_id>/", facts.triple, name="triple"),
    path("triples/<int:triple_id>/actions/", facts.actions, name="triple-actions"),
    path("triples/<int:triple_id>/forget/", facts.forget, name="triple-forget"),
    path("triples/<int:triple_id>/correct/", facts.correct, name="triple-correct"),
    path("triples/<int:triple_id>/wrong/", facts.retract, name="triple-retract"),
    path("conflicts/<int:conflict_id>/", conflicts.conflict, name="conflict"),
    path("conflicts/<int:conflict_id>/actions/", conflicts.actions, name="conflict-actions"),
    path("conflicts/<int:conflict_id>/decide/", facts.decide, name="conflict-decide"),
    path("entities/<int:entity_id>/", entities.entity, name="entity"),
    path("entities/<int:entity_id>/rename/", entities.rename, name="entity-rename"),
    path("entities/<int:entity_id>/merge/", entities.merge, name="entity-merge"),
    path("entities/<int:entity_id>/split/", entities.split, name="entity-split"),
    path("edits/<int:edit_id>/undo/", facts.undo, name="edit-undo"),
    path("sentences/<int:sentence_id>/", sentences.sentence, name="sentence"),
]
