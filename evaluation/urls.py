"""The addresses of measuring's pages."""

from __future__ import annotations

from django.urls import path
from django.views.generic import TemplateView

from evaluation.views import facts, scores, timeline
from evaluation.views.review import agreement, fill, labelling, project, results, settling, team
from evaluation.views.review import new as review_new
from evaluation.views.runs import compare, export, item, listing, new, run, trend

urlpatterns = [
    path("evaluate/", listing.runs, name="evaluate"),
    path("evaluate/new/", new.new, name="run-new"),
    path("evaluate/compare/", compare.compare, name="run-compare"),
    path("evaluate/trend/", trend.trend, name="run-trend"),
    path("evaluate/conversations/", trend.live, name="run-live"),
    path("evaluate/runs/<int:run_id>/", run.run, name="run"),
    path("evaluate/runs/<int:run_id>/progress/", listing.progress, name="run-progress"),
    path("evaluate/runs/<int:run_id>/stop/", listing.stop, name="run-stop"),
    path("evaluate/runs/<int:run_id>/resume/", listing.resume, name="run-resume"),
    path("evaluate/runs/<int:run_id>/delete/", listing.delete, name="run-delete"),
    path("evaluate/runs/<int:run_id>/words/", run.describe, name="run-describe"),
    path("evaluate/runs/<int:run_id>/items/", item.items, name="run-items"),
    path("evaluate/runs/<int:run_id>/export/<str:form>/", export.export, name="run-export"),
    path("evaluate/items/<int:item_id>/", item.item, name="run-item"),
    path("evaluate/items/<int:item_id>/override/", item.override, name="run-override"),
    path("review/", project.projects, name="review"),
    path("review/new/", review_new.new, name="review-new"),
    path("review/import/", fill.bring_in, name="review-import"),
    path("review/projects/<int:project_id>/", project.project, name="review-project"),
    path("review/projects/<int:project_id>/guideline/", project.guideline, name="review-guideline"),
    path("review/projects/<int:project_id>/close/", project.close, name="review-close"),
    path("review/projects/<int:project_id>/delete/", project.delete, name="review-delete"),
    path("review/projects/<int:project_id>/items/", fill.fill, name="review-fill"),
    path("review/projects/<int:project_id>/machine/", fill.machine, name="review-machine"),
    path("review/projects/<int:project_id>/label/", labelling.label, name="review-label"),
    path("review/projects/<int:project_id>/take/", labelling.take, name="review-take"),
    path("review/projects/<int:project_id>/guideline/now/", labelling.guideline, name="review-guideline-now"),
    path("review/projects/<int:project_id>/settle/", settling.settle, name="review-settle"),
    path("review/items/<int:annotated_id>/settle/", settling.settle_item, name="review-settle-item"),
    path("review/projects/<int:project_id>/agreement/", agreement.agreement, name="review-agreement"),
    path("review/projects/<int:project_id>/results/", results.results, name="review-results"),
    path("review/projects/<int:project_id>/feedback/", results.feedback, name="review-feedback"),
    path("review/projects/<int:project_id>/export/<str:form>/", results.export, name="review-export"),
    path("review/items/<int:annotated_id>/", results.item, name="review-item"),
    path("review/items/<int:annotated_id>/withdraw/", results.withdraw, name="review-withdraw"),
    path("review/teams/", team.teams, name="review-teams"),
    path("review/teams/<int:space_id>/", team.team, name="review-team"),
    path("review/teams/<int:space_id>/invite/", team.invite, name="review-invite"),
    path("review/teams/<int:space_id>/invitations/<int:invitation_id>/", team.uninvite, name="review-uninvite"),
    path("review/teams/<int:space_id>/members/<int:user_id>/", team.member, name="review-member"),
    path("review/invitations/<str:secret>/", team.invitation, name="review-invitation"),
    path("spaces/<int:space_id>/timeline/", timeline.timeline, name="space-timeline"),
    path("spaces/<int:space_id>/timeline/data/", timeline.timeline_data, name="space-timeline-data"),
    path("spaces/<int:space_id>/timeline/rounds/<int:round_id>/retry/", timeline.retry, name="timeline-retry"),
    path("spaces/<int:space_id>/timeline/rounds/<int:round_id>/score/", scores.score_again, name="score-again"),
    path("spaces/<int:space_id>/timeline/<int:session_id>/replies/", scores.replies_by, name="replies-by"),
    path("rounds/<int:round_id>/score/", scores.round_score, name="round-score"),
    path("replies/<int:reply_id>/check/", facts.reply_check, name="reply-check"),
    path("replies/<int:reply_id>/check/again/", facts.check_again, name="reply-check-again"),
    path(
        "about/entailment/",
        TemplateView.as_view(template_name="evaluation/about_scores.html", extra_context={"place": "memory"}),
        name="about-entailment",
    ),
]
