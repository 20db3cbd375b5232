"""The pages of *Review*: who is shown what, what waits, and how many queries a page takes."""

from __future__ import annotations

import json
import re
import uuid
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import (
    Annotation,
    AnnotationItem,
    AnnotationProject,
    ItemLease,
    ReviewEvent,
    ReviewInvitation,
    ReviewMember,
    ScoreOverride,
    Settlement,
)
from evaluation.selectors.annotation.waiting import waiting_for
from evaluation.services.annotation.members import invitation_make
from evaluation.services.annotation.queue import item_skip
from memory.services import space_create, space_personal
from tests.integration.evaluation import annotated
from tests.integration.evaluation.annotated import NO, YES, account, says, streamed, team
from tests.integration.evaluation.measured_runs import item_of, made_run

pytestmark = pytest.mark.django_db
MOST_QUERIES = 28
MACHINES = {"verdict": "not_a_claim"}


@pytest.fixture
def there():
    """A team with a project of three items: one in dispute, one agreed, one that only ana has labelled."""
    space, who = team(ana="annotator", ben="annotator", cleo="curator", dora="reader")
    project = annotated.project(space, who["cleo"], items=3)
    items = list(project.items.order_by("place"))
    AnnotationItem.objects.filter(project=project).update(machine=MACHINES, machine_by="a model")
    says(who["ana"], items[0], YES, comment="It says so.")
    says(who["ben"], items[0], NO)
    says(who["ana"], items[1], YES)
    says(who["ben"], items[1], YES)
    says(who["ana"], items[2], YES)
    return space, who, project, items


def browser(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(user, name: str, *arguments: object, **asked: object) -> str:
    answer = browser(user).get(reverse(name, args=arguments), asked)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def plain(html: str) -> str:
    html = re.sub(r'(?s)<span class="meaning".*?</span>|<template.*?</template>|<head>.*?</head>', "", html)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def main_of(html: str) -> str:
    return plain(html.split("<main")[1].split("</main>")[0])


def test_list_teaches_where_there_is_nothing_and_tells_what_waits_for_whom(there):
    _, who, project, _ = there
    newcomer = account("nora")
    assert "Nothing is labelled yet." in page(newcomer, "review")
    told = {name: plain(page(who[name], "review")) for name in ("ana", "ben", "cleo", "dora")}
    for name in ("ana", "ben"):
        assert "finished" not in told[name] and "dispute" not in told[name]
    assert "3 items, 0 left for you" in told["ana"] and "3 items, 1 left for you" in told["ben"]
    assert "1 of 3 items finished, 1 in dispute" in told["cleo"] and "Settle Facts: 1" in told["cleo"]
    assert "1 of 3 items finished, 1 in dispute" in told["dora"] and "Settle Facts" not in told["dora"]
    AnnotationProject.objects.filter(pk=project.pk).update(is_closed=True)
    assert "Label Facts" not in plain(page(who["ben"], "review"))


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("review-project", "ana ben cleo dora owner"),
        ("review-label", "ana ben cleo owner"),
        ("review-settle", "cleo owner"),
        ("review-agreement", "cleo dora owner"),
        ("review-results", "cleo dora owner"),
        ("review-feedback", "cleo owner"),
        ("review-fill", "cleo owner"),
    ],
)
def test_each_role_opens_its_pages_and_no_other(there, name, allowed):
    _, who, project, _ = there
    path = reverse(name, args=[project.pk])
    codes = {one: browser(user).get(path).status_code for one, user in who.items()}
    assert codes == {one: 200 if one in allowed.split() else 403 for one in who}
    assert browser(account("eve")).get(path).status_code == 404
    if refused := [user for one, user in who.items() if codes[one] == 403]:
        assert "Your role in this team does not allow this." in browser(refused[0]).get(path).content.decode()


def test_labelling_page_holds_two_items_and_nothing_that_was_said_of_them(there):
    _, who, project, items = there
    html = page(who["ben"], "review-label", project.pk)
    assert re.findall(r'data-item="(\d+)"', html) == [str(items[2].pk)]
    assert "f2 is a fact." in html and "not_a_claim" in html  # a label that can be chosen
    assert html.count('aria-pressed="true"') == 0 and "a model" not in html and "ana" not in html.split("<main")[1]
    lease = ItemLease.objects.get(item=items[2], user=who["ben"])
    assert f'data-token="{lease.token}"' in html and 'data-done="2" data-left="1"' in html
    again = browser(who["ben"]).post(reverse("review-take", args=[project.pk])).content.decode()
    assert re.findall(r'data-item="(\d+)"', again) == [str(items[2].pk)] and "<html" not in again


def test_closed_project_says_why_nothing_comes(there):
    _, who, project, _ = there
    AnnotationProject.objects.filter(pk=project.pk).update(is_closed=True)
    html = page(who["ben"], "review-label", project.pk)
    assert 'data-why="This project is closed: nobody labels in it any more.' in html and "data-item=" not in html


def test_dispute_is_settled_without_names_and_with_a_reason(there):
    _, who, project, items = there
    html = page(who["cleo"], "review-settle", project.pk)
    shown = main_of(html)
    assert "f0 is a fact." in shown and "“It says so.”" in shown
    assert not re.search(r"\b(ana|ben)\b", shown) and "a model" not in shown
    path = reverse("review-settle-item", args=[items[0].pk])
    sent = {"answer": json.dumps(NO), "reason": " "}
    refused = browser(who["cleo"]).post(path, sent)
    assert refused.status_code == 422 and "Say in at most 2000 characters why" in refused.content.decode()
    assert f'name="answer" value="{json.dumps(NO).replace(chr(34), "&quot;")}"' in refused.content.decode()
    for wrong in ("{", "[" * 100_000, "1" * 5_000):
        assert browser(who["cleo"]).post(path, sent | {"answer": wrong, "reason": "So."}).status_code == 422
    assert browser(who["ana"]).post(path, sent | {"reason": "So."}).status_code == 403
    done = browser(who["cleo"]).post(path, sent | {"reason": "The sentence denies it."})
    assert done.headers["Location"] == f"{reverse('review-settle', args=[project.pk])}?after={items[0].pk}"
    [settlement] = Settlement.objects.all()
    assert (settlement.item_id, settlement.answer, settlement.reason) == (items[0].pk, NO, "The sentence denies it.")
    assert "Nobody disagrees. 2 items are finished." in plain(page(who["cleo"], "review-settle", project.pk))
    anew = page(who["cleo"], "review-settle", project.pk, item=items[0].pk)
    assert "Settled already: “The sentence denies it.” What you say now counts instead" in anew
    assert '<input type="hidden" name="again" value="1">' in anew
    late = browser(who["cleo"]).post(path, sent | {"reason": "I opened it before."})
    assert late.status_code == 422 and "A colleague settled this item meanwhile" in late.content.decode()
    assert '<input type="hidden" name="again" value="1">' in late.content.decode()
    assert Settlement.objects.count() == 1
    assert browser(who["cleo"]).post(path, sent | {"reason": "I looked again.", "again": "1"}).status_code == 302


@pytest.mark.parametrize("answer", ["{", "[]", json.dumps(YES)])
def test_answer_to_an_open_item_shows_nobody_what_was_said_of_it(there, answer):
    _, who, project, items = there
    Annotation.objects.filter(item=items[2]).update(comment="zebra")
    path = reverse("review-settle-item", args=[items[2].pk])
    sent = {"answer": answer, "reason": "So."}
    assert browser(who["ben"]).post(path, sent).status_code == 403
    told = browser(who["cleo"]).post(path, sent)
    assert (told.status_code, told.headers.get("Location")) == (302, reverse("review-settle", args=[project.pk]))
    assert browser(who["ben"]).post(reverse("review-settle-item", args=[items[0].pk]), sent).status_code == 403
    assert not Settlement.objects.exists()


def test_who_labelled_an_item_is_not_offered_to_settle_it(there):
    _, who, project, items = there
    ReviewMember.objects.filter(user=who["ana"]).update(role="curator")
    assert "What is in dispute, you labelled yourself" in plain(page(who["ana"], "review-settle", project.pk))
    path = reverse("review-settle", args=[project.pk])
    assert browser(who["ana"]).get(path, {"item": items[0].pk}).status_code == 404


def test_owner_of_a_team_of_two_settles_what_they_labelled_with_a_mark_wherever_it_is_shown():
    space, who = team(ana="annotator")
    project = annotated.project(space, who["owner"], items=2)
    one, other = project.items.order_by("place")
    for item in (one, other):
        says(who["ana"], item, YES)
        says(who["owner"], item, NO)
    assert waiting_for(who["owner"], [project])[project.pk].to_settle == 2
    asked = plain(page(who["owner"], "review-settle", project.pk))
    assert "2 items for you to settle" in asked
    assert "You labelled this item, and nobody else is left to settle it." in asked
    sent = {"answer": json.dumps(YES), "reason": "Ana is right."}
    assert browser(who["ana"]).post(reverse("review-settle-item", args=[one.pk]), sent).status_code == 403
    assert browser(who["owner"]).post(reverse("review-settle-item", args=[one.pk]), sent).status_code == 302
    marked = "owner who labelled it too, since nobody else was left"
    assert f"{marked} : Ana is right." in plain(page(who["owner"], "review-results", project.pk))
    shown = plain(page(who["owner"], "review-item", one.pk))
    assert marked in shown and "Settle anew" in shown
    again = plain(page(who["owner"], "review-settle", project.pk, item=one.pk))
    assert "Settled already by somebody who labelled it too: “Ana is right.”" in again
    told = browser(who["owner"]).get(reverse("api-annotation-item", args=[one.pk])).json()
    assert [(row["name"], row["is_own"]) for row in told["settlements"]] == [("owner", True)]
    line = streamed(browser(who["owner"]).post(reverse("review-export", args=[project.pk, "jsonl"]))).splitlines()[-1]
    assert [(row["name"], row["labelled_too"]) for row in json.loads(line)["settlements"]] == [("owner", True)]

    # With a curator who labelled nothing there is somebody else again, who settles without a mark.
    ReviewMember.objects.create(space=space, user=account("cleo"), role="curator")
    cleo = User.objects.get(username="cleo")
    assert waiting_for(who["owner"], [project])[project.pk].to_settle == 0
    assert "What is in dispute, you labelled yourself" in plain(page(who["owner"], "review-settle", project.pk))
    refused = browser(who["owner"]).post(reverse("review-settle-item", args=[other.pk]), sent, follow=True)
    assert "You labelled this item yourself. Let somebody settle it who did not." in plain(refused.content.decode())
    assert browser(cleo).post(reverse("review-settle-item", args=[other.pk]), sent).status_code == 302
    results = plain(page(cleo, "review-results", project.pk))
    assert "cleo : Ana is right." in results.replace("cleo:", "cleo :")


def test_agreement_tells_figures_of_people_and_of_the_machine(there):
    _, who, project, _ = there
    shown = plain(page(who["dora"], "review-agreement", project.pk))
    assert "Items that have all their labels, 2 of 3" in shown
    assert (
        "People with one another 2 items Figure From 0 to 1 Value Interval Same answer 0.50 Cohen's kappa 0.00" in shown
    )
    assert (
        "Who said what: rows ana, columns ben" in shown and "People and the machine 2 items, 3 pairs of labels" in shown
    )
    as_table = page(who["dora"], "review-agreement", project.pk, view="table")
    assert '<svg class="estimate"' not in as_table and "Show as chart" in as_table
    empty = annotated.project(there[0], who["cleo"], items=1)
    assert "Nothing can be compared yet" in plain(page(who["dora"], "review-agreement", empty.pk))


def test_results_and_items_tell_nothing_of_what_is_open(there):
    _, who, project, items = there
    shown = plain(page(who["dora"], "review-results", project.pk).split('id="list"')[1])
    assert "f1 is a fact." in shown and "agreed True ana, ben" in shown and "f2 is a fact." not in shown
    assert "in dispute Answers that differ" in shown
    only = plain(page(who["dora"], "review-results", project.pk, standing="agreed").split('id="list"')[1])
    assert "f1 is a fact." in only and "f0 is a fact." not in only
    for name in ("ben", "cleo", "dora"):
        blind = main_of(page(who[name], "review-item", items[2].pk))
        assert "What was said of this item is told when you have labelled it" in blind
        assert "True" not in blind and "Not a claim" not in blind and "open" not in blind
    own = main_of(page(who["ana"], "review-item", items[2].pk))
    assert "You" in own and "Not a claim" in own
    assert Annotation.objects.get(item=items[2]).revealed_at is not None
    named = plain(page(who["dora"], "review-item", items[1].pk))
    assert "In the end True" in named and "ana True" in named and "The machine a model Not a claim" in named


def test_item_is_withdrawn_with_a_reason(there):
    _, who, _, items = there
    path = reverse("review-withdraw", args=[items[2].pk])
    assert browser(who["ana"]).post(path, {"why": "Twice the same."}).status_code == 403
    browser(who["cleo"]).post(path, {"why": "Twice the same."})
    items[2].refresh_from_db()
    assert (items[2].standing, items[2].why) == ("withdrawn", "Twice the same.")
    # Words about an item go with it when what it shows is forgotten; an event stays.
    assert ReviewEvent.objects.get(what="withdraw").about == {"item": items[2].pk}


def test_results_are_put_into_the_run_after_they_were_shown():
    space, who = team(ana="annotator", ben="annotator")
    owner = who["owner"]
    run = made_run(space, owner, right={"graph": [1.0, 0.0]})
    project = annotated.project(space, owner, annotators=1)
    for number, answer in ((0, YES), (1, NO)):
        item = annotated.item(project, f"r{number}", run_item=item_of(run, number))
        says(who["ana"], item, answer)
    shown = plain(page(owner, "review-feedback", project.pk))
    assert "2 figures would change" in shown or "4 figures would change" in shown
    assert ScoreOverride.objects.count() == 0
    path = reverse("review-feedback", args=[project.pk])
    assert browser(owner).post(path).headers["Location"] == reverse("review-results", args=[project.pk])
    made = {(one.item.key, one.metric): one.value for one in ScoreOverride.objects.select_related("item")}
    assert made["q0", "fact_score"] == 1.0 and made["q1", "fact_score"] == 0.0
    assert "No figure would change" in plain(page(owner, "review-feedback", project.pk))
    html = page(owner, "run", run.pk)
    assert "given by a person" in html


def test_project_is_made_by_the_form_and_what_is_wrong_is_said_beside_the_field():
    _, who = team(ana="annotator")
    client = browser(who["owner"])
    html = page(who["owner"], "review-new")
    assert 'value="fact_verdict" checked' in html and "Or bring a project in" in html
    space = who["owner"].memberships.get(space__name="Team").space
    sent = {"kind": "human_evaluation", "name": "Replies", "annotators": "3", "gold_every": "", "order": "random",
            "guideline": "Read twice.", "space": space.pk}  # fmt: skip
    refused = client.post(reverse("review-new"), sent | {"name": "", "annotators": "12"})
    assert refused.status_code == 422 and "Give the project a name." in refused.content.decode()
    refused = client.post(reverse("review-new"), sent | {"gold_every": "1"})
    assert refused.status_code == 422 and "can be a gold check" in refused.content.decode()
    assert AnnotationProject.objects.count() == 0
    made = client.post(reverse("review-new"), sent)
    [project] = AnnotationProject.objects.all()
    assert made.headers["Location"] == reverse("review-fill", args=[project.pk])
    assert (project.name, project.kind, project.annotators, project.guidelines.get().text) == (
        "Replies", "human_evaluation", 3, "Read twice.")  # fmt: skip
    others = space_personal(user=who["ana"])
    assert client.post(reverse("review-new"), sent | {"space": others.pk}).status_code == 422


def test_items_come_from_a_file_or_a_run_and_a_wrong_file_adds_nothing():
    space, who = team()
    owner = who["owner"]
    project = annotated.project(space, owner)
    client, path = browser(owner), reverse("review-fill", args=[project.pk])
    good = json.dumps({"key": "k1", "content": {"fact": "Porto lies on the Douro."}}).encode()
    bad = json.dumps({"key": "k2", "content": {"claim": "x"}}).encode()
    refused = client.post(path, {"source": "file", "file": SimpleUploadedFile("items.jsonl", good + b"\n" + bad)})
    assert refused.status_code == 422 and "Nothing was added." in refused.content.decode()
    assert client.post(path, {"source": "file"}).status_code == 422
    assert client.post(path, {"source": "run"}).status_code == 422
    assert project.items.count() == 0
    done = client.post(path, {"source": "file", "file": SimpleUploadedFile("items.jsonl", good)}, follow=True)
    assert "1 item is new in Facts." in done.content.decode()
    stranger = made_run(space_create(name="Elsewhere", owner=owner), owner, right={"graph": [1.0]})
    assert client.post(path, {"source": "run", "run": stranger.pk}).status_code == 422
    run = made_run(space, owner, right={"graph": [1.0]})
    many = client.post(path, {"source": "run", "run": run.pk, "limit": "1001"})
    assert many.status_code == 422 and "A page splits at most 1,000 replies into facts." in many.content.decode()


def test_form_of_items_says_what_can_be_drawn_and_how_a_file_looks():
    space, who = team()
    project = annotated.project(space, who["owner"])
    path = reverse("review-fill", args=[project.pk])
    html = page(who["owner"], "review-fill", project.pk, source="file")
    assert re.findall(r'value="(\w+)" checked', html) == ["file"]
    line = unescape(re.search(r"<code>(\{.*?\})</code>", html).group(1))
    file = SimpleUploadedFile("own.jsonl", line.encode())
    assert (
        "1 item is new"
        in browser(who["owner"]).post(path, {"source": "file", "file": file}, follow=True).content.decode()
    )
    refused = browser(who["owner"]).post(path, {"source": "conversations"})
    assert (
        refused.status_code == 422
        and "“Check what replies state”" in plain(refused.content.decode()).split("Where the")[0]
    )


def test_project_tells_curators_why_open_items_were_skipped(there):
    _, who, project, items = there
    item_skip(item=items[2], user=who["ben"], reason="The dialogue is cut off.")
    assert "f2 is a fact. ben: The dialogue is cut off." in main_of(page(who["cleo"], "review-project", project.pk))
    for name in ("ana", "dora"):
        assert "cut off" not in page(who[name], "review-project", project.pk)
    says(who["ben"], items[2], YES)
    assert "cut off" not in page(who["cleo"], "review-project", project.pk)


def test_team_of_another_is_told_from_ones_own():
    ana = account("ana")
    space_personal(user=ana)
    theirs = space_personal(user=account("olga"))
    ReviewMember.objects.create(space=theirs, user=ana, role="curator")
    assert "Who takes part in My memory of olga" in main_of(page(ana, "review-team", theirs.pk))
    assert re.findall(r">(My memory[^<]*)</option>", page(ana, "review-new"))[:2] == ["My memory", "My memory of olga"]


def test_what_is_taken_out_is_written_down_and_comes_in_again_as_it_was(there):
    _, who, project, _ = there
    cleo = browser(who["cleo"])
    path = reverse("review-export", args=[project.pk, "jsonl"])
    assert cleo.get(path).status_code == 405 and browser(who["dora"]).post(path).status_code == 403
    finished = streamed(cleo.post(path))
    assert len(finished.splitlines()) == 2
    whole = streamed(cleo.post(path, {"is_full": "yes"}))
    assert list(ReviewEvent.objects.filter(what__in=["export", "unblind"]).values_list("what", "name")) == [
        ("export", "cleo"), ("unblind", "cleo")]  # fmt: skip
    sent = {"file": SimpleUploadedFile("facts.jsonl", whole.encode()), "space": project.space_id, "name": "Again"}
    cleo.post(reverse("review-import"), sent)
    again = AnnotationProject.objects.get(name="Again")

    def state(of):
        rows = of.items.order_by("key").prefetch_related("annotations")
        return [
            (
                item.key,
                item.standing,
                item.final,
                item.machine,
                sorted((a.name, a.answer["verdict"]) for a in item.annotations.all()),
            )
            for item in rows
        ]

    assert state(again) == state(project)
    wrong = cleo.post(reverse("review-import"), sent | {"file": SimpleUploadedFile("x.jsonl", b"{}")}, follow=True)
    assert "Nothing was brought in." in wrong.content.decode() and AnnotationProject.objects.count() == 2


def test_invitation_is_shown_once_and_taken_by_the_first():
    space, who = team()
    made = browser(who["owner"]).post(reverse("review-invite", args=[space.pk]), {"role": "annotator"})
    assert made.status_code == 201
    link = re.search(r'value="http://testserver(/review/invitations/[^"]+)"', made.content.decode()).group(1)
    assert link.split("/")[-2] not in page(who["owner"], "review-team", space.pk)
    ana, ben = account("ana"), account("ben")
    assert Client().get(link).headers["Location"].startswith("/sign-in/?next=/review/invitations/")
    assert "You were invited to label." in Client().get(link, follow=True).content.decode()
    looked = browser(ana).get(link)
    assert "owner invites you to Team" in plain(looked.content.decode())
    assert looked.headers["Referrer-Policy"] == "same-origin" and not ReviewMember.objects.exists()
    browser(ana).post(link)
    assert ReviewMember.objects.get().user == ana
    late = browser(ben).post(link)
    assert late.status_code == 410 and ReviewMember.objects.count() == 1
    assert "used by ana" in plain(page(who["owner"], "review-team", space.pk))


def test_owner_changes_roles_and_withdraws_invitations_others_do_not():
    space, who = team(ana="annotator", ben="reader")
    invitation, secret = invitation_make(space=space, role="reader", by=who["owner"])
    change = reverse("review-member", args=[space.pk, who["ben"].pk])
    withdraw = reverse("review-uninvite", args=[space.pk, invitation.pk])
    assert [browser(who["ana"]).post(path, {"role": "owner"}).status_code for path in (change, withdraw)] == [403, 403]
    browser(who["owner"]).post(change, {"role": "curator"})
    assert ReviewMember.objects.get(user=who["ben"]).role == "curator"
    browser(who["owner"]).post(withdraw)
    assert browser(account("eve")).post(reverse("review-invitation", args=[secret])).status_code == 410
    left = browser(who["ben"]).post(change, {"remove": "yes"})
    assert left.headers["Location"] == reverse("review") and not ReviewMember.objects.filter(user=who["ben"]).exists()
    assert ReviewInvitation.objects.get().taken_at is None


def test_guideline_gets_versions_and_a_project_is_closed_opened_and_deleted(there):
    _, who, project, _ = there
    cleo, owner = browser(who["cleo"]), browser(who["owner"])
    cleo.post(reverse("review-guideline", args=[project.pk]), {"text": "Read *twice*."})
    html = page(who["ben"], "review-project", project.pk)
    assert "Version 2" in html and "Read <em>twice</em>." in html and "Write a new version" not in html
    assert "Read <em>twice</em>." in page(who["ben"], "review-guideline-now", project.pk)
    cleo.post(reverse("review-close", args=[project.pk]))
    assert AnnotationProject.objects.get().is_closed
    cleo.post(reverse("review-close", args=[project.pk]), {"reopen": "yes"})
    assert not AnnotationProject.objects.get().is_closed
    assert cleo.post(reverse("review-delete", args=[project.pk])).status_code == 403
    owner.post(reverse("review-delete", args=[project.pk]))
    assert AnnotationProject.objects.count() == 0


@pytest.mark.parametrize(
    "name",
    ["review", "review-project", "review-label", "review-settle", "review-agreement", "review-results", "review-team"],
)
def test_queries_do_not_grow_with_items(there, name):
    space, who, project, _ = there
    for number in range(30):
        item = annotated.item(project, f"more{number}")
        for person in ("ana", "ben"):
            says(who[person], item, YES if number % 2 else NO)
    arguments = {"review": [], "review-team": [space.pk]}.get(name, [project.pk])
    client = browser(who["owner"])
    with CaptureQueriesContext(connection) as queries:
        assert client.get(reverse(name, args=arguments)).status_code == 200
    assert len(queries) <= MOST_QUERIES, [query["sql"][:200] for query in queries]


def test_queries_do_not_grow_with_teams(there):
    _, who, _, _ = there
    counts = []
    for _ in range(2):
        for number in range(3):
            space = space_create(name=f"Team {number}", owner=who["cleo"])
            annotated.project(space, who["cleo"])
        client, found = browser(who["cleo"]), []
        for name in ("review", "review-new", "review-teams"):
            with CaptureQueriesContext(connection) as caught:
                client.get(reverse(name), follow=True)
            found.append(len(caught))
        counts.append(found)
    assert counts[0] == counts[1]


def test_teams_lead_to_the_team_of_ones_own_memory_first(there):
    space, who, _, _ = there
    assert browser(who["ana"]).get(reverse("review-teams")).url == reverse("review-team", args=[space.pk])
    own = space_create(name="Ana's", owner=who["ana"])
    assert browser(who["ana"]).get(reverse("review-teams")).url == reverse("review-team", args=[own.pk])


def test_words_from_users_are_shown_as_text(there):
    _, who, project, items = there
    bad = '<script>alert("x")</script>'
    AnnotationItem.objects.filter(pk=items[0].pk).update(
        content={"fact": bad, "evidence": [{"title": bad, "text": bad}]}
    )
    for name, argument in (("review-settle", project.pk), ("review-item", items[0].pk), ("review-results", project.pk)):
        assert "<script>alert" not in page(who["cleo"], name, argument)
    assert str(uuid.UUID(int=0)) not in page(who["cleo"], "review-settle", project.pk)
