"""The addresses of measuring's API, under /api/."""

from __future__ import annotations

from django.urls import path

from evaluation.api import annotation, annotation_items, facts, runs, scores

urlpatterns = [
    path("runs/", runs.RunList.as_view(), name="api-runs"),
    path("runs/<int:run_id>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<int:run_id>/items/", runs.RunItemList.as_view(), name="api-run-items"),
    path("runs/<int:run_id>/export/<str:form>/", runs.RunExport.as_view(), name="api-run-export"),
    path("items/<int:item_id>/", runs.ItemDetail.as_view(), name="api-item"),
    path("items/<int:item_id>/override/", runs.ItemOverride.as_view(), name="api-item-override"),
    path("annotation/projects/", annotation.AnnotationProjectList.as_view(), name="api-annotation-projects"),
    path(
        "annotation/projects/<int:project_id>/",
        annotation.AnnotationProjectDetail.as_view(),
        name="api-annotation-project",
    ),
    path("annotation/projects/<int:project_id>/take/", annotation.AnnotationTake.as_view(), name="api-annotation-take"),
    path(
        "annotation/projects/<int:project_id>/agreement/",
        annotation.AnnotationAgreement.as_view(),
        name="api-annotation-agreement",
    ),
    path(
        "annotation/projects/<int:project_id>/disputes/",
        annotation.AnnotationDisputes.as_view(),
        name="api-annotation-disputes",
    ),
    path(
        "annotation/projects/<int:project_id>/export.<str:form>",
        annotation.AnnotationExport.as_view(),
        name="api-annotation-export",
    ),
    path(
        "annotation/items/<int:annotated_id>/",
        annotation_items.AnnotatedDetail.as_view(),
        name="api-annotation-item",
    ),
    path(
        "annotation/items/<int:annotated_id>/answers/",
        annotation_items.AnnotatedAnswers.as_view(),
        name="api-annotation-answers",
    ),
    path(
        "annotation/items/<int:annotated_id>/skip/",
        annotation_items.AnnotatedSkip.as_view(),
        name="api-annotation-skip",
    ),
    path(
        "annotation/items/<int:annotated_id>/settlement/",
        annotation_items.AnnotatedSettlement.as_view(),
        name="api-annotation-settlement",
    ),
    path(
        "annotation/answers/<int:annotation_id>/",
        annotation_items.AnnotationAnswer.as_view(),
        name="api-annotation-answer",
    ),
    path("replies/<int:reply_id>/facts/", facts.ReplyFacts.as_view(), name="api-reply-facts"),
    path("sessions/<int:session_id>/scores/", scores.SessionScores.as_view(), name="api-session-scores"),
    path("sessions/<int:session_id>/replies/", scores.SessionReplies.as_view(), name="api-session-replies"),
]
