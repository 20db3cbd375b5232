"""The API of annotation: what it tells and refuses, by role, and whose it is."""

from __future__ import annotations

import json
import uuid

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from evaluation.models import Annotation, AnnotationItem, AnnotationProject, ReviewEvent
from evaluation.services.annotation.queue import items_take
from memory.services.tokens import token_make
from tests.integration.evaluation.annotated import NO, UNSURE, YES, account, item, project, says, streamed, team

pytestmark = pytest.mark.django_db
GUIDELINE = "Judge by the evidence alone."


@pytest.fixture(autouse=True)
def unthrottled():
    cache.clear()


@pytest.fixture
def people():
    space, who = team(ana="annotator", ben="annotator", cur="curator", rob="reader")
    return space, {**who, "eve": account("eve")}


@pytest.fixture
def made(people) -> AnnotationProject:
    space, who = people
    return project(space, who["owner"], items=3, guideline=GUIDELINE)


@pytest.fixture
def api(people):
    _, who = people
    return {
        name: APIClient(enforce_csrf_checks=True, HTTP_AUTHORIZATION=f"Token {token_make(user=user)}")
        for name, user in who.items()
    }


def address(name, *arguments):
    return reverse(f"api-annotation-{name}", args=arguments)


def sent(api, name, number, body):
    return api.post(address(name, number), body, format="json")


def answered(api, number, answer, **more):
    return sent(api, "answers", number, {"answer": answer, "sent_as": str(uuid.uuid4()), **more})


def test_project_is_made_by_a_curator_and_read_as_each_role_may(api, people):
    space, who = people
    body = {"space": space.pk, "name": "Facts", "kind": "fact_verdict", "gold_every": 5, "guideline": GUIDELINE}
    told = api["cur"].post(address("projects"), body, format="json")
    assert told.status_code == 201
    assert {name: told.json()[name] for name in ("created_by", "name", "annotators", "gold_every", "is_closed")} == {
        "created_by": "cur", "name": "Facts", "annotators": 2, "gold_every": 5, "is_closed": False,
    }  # fmt: skip
    number = told.json()["id"]
    assert [one["id"] for one in api["ana"].get(address("projects")).json()["results"]] == [number]
    shown = {name: api[name].get(address("project", number)).json() for name in ("ana", "rob", "cur", "owner")}
    assert {name: one["role"] for name, one in shown.items()} == {
        "ana": "annotator", "rob": "reader", "cur": "curator", "owner": "owner",
    }  # fmt: skip
    assert {one["guideline"]["text"] for one in shown.values()} == {GUIDELINE}
    assert [one["name"] for one in shown["ana"]["definition"]["questions"]] == ["verdict"]
    assert shown["ana"]["own"] == {"labelled": 0, "last_hour": 0, "gold": {"right": 0, "checked": 0}}
    assert (shown["ana"]["progress"], shown["rob"]["own"]) == (None, None)
    assert shown["rob"]["progress"] == dict.fromkeys(
        ("total", "open", "disputed", "agreed", "settled", "withdrawn", "wanted"), 0
    )
    says(who["ana"], item(AnnotationProject.objects.get(), "g0", gold=YES), YES)
    assert [one["name"] for one in api["cur"].get(address("project", number)).json()["people"]] == ["ana"]
    assert [api[name].get(address("project", number)).json()["people"] for name in ("ana", "rob")] == [[], []]


@pytest.mark.parametrize(
    ("changed", "status", "why"),
    [
        ({"kind": "nonsense"}, 400, "There is no kind"),
        ({"annotators": 12}, 400, "1 to 9"),
        ({"name": ""}, 400, "blank"),
        ({"order": "alphabetical"}, 400, "not a valid choice"),
        ({"space": 2**31}, 404, ""),
    ],
)
def test_project_that_cannot_be_is_refused(api, people, changed, status, why):
    body = {"space": people[0].pk, "name": "Facts", "kind": "fact_verdict", **changed}
    told = api["owner"].post(address("projects"), body, format="json")
    assert told.status_code == status and why in told.content.decode() and not AnnotationProject.objects.exists()


def test_roles_allow_what_they_should(api, people, made):
    number, one = made.pk, made.items.first().pk
    body = {"space": people[0].pk, "name": "More", "kind": "fact_verdict"}
    settling = {"answer": YES, "reason": "It is so."}
    asked = {
        "make": lambda who: who.post(address("projects"), body, format="json"),
        "read": lambda who: who.get(address("project", number)),
        "take": lambda who: sent(who, "take", number, {}),
        "answer": lambda who: answered(who, made.items.last().pk, YES),
        "skip": lambda who: sent(who, "skip", one, {"reason": "No."}),
        "item": lambda who: who.get(address("item", one)),
        "agreement": lambda who: who.get(address("agreement", number)),
        "disputes": lambda who: who.get(address("disputes", number)),
        "settle": lambda who: sent(who, "settlement", one, settling),
        "export": lambda who: who.get(address("export", number, "jsonl")),
    }
    allowed = {
        "ana": {"read", "take", "answer", "skip", "item"},
        "rob": {"read", "item", "agreement"},
        "cur": set(asked),
        "eve": set(),
    }
    for name, acts in allowed.items():
        told = {act: ask(api[name]).status_code for act, ask in asked.items()}
        refused = 404 if name == "eve" else 403
        # Nobody disputes the item, so a curator is refused for that.
        expected = {act: told[act] if act in acts else refused for act in asked}
        assert told == expected and all(told[act] in (200, 201, 204, 409) for act in acts), name
        assert {act for act in acts if told[act] == 409} == ({"settle"} if name == "cur" else set())


def test_refusal_of_a_role_is_told_from_a_session_that_changed(people, made):
    _, who = people
    body = {"answer": YES, "sent_as": str(uuid.uuid4()), "reason": "No."}
    browser = APIClient(enforce_csrf_checks=True)
    for name in ("answers", "skip"):
        browser.logout()
        assert sent(browser, name, made.items.first().pk, body).status_code == 401
        browser.force_login(who["rob"])
        changed = sent(browser, name, made.items.first().pk, body)
        assert changed.status_code == 403 and "code" not in changed.json()
        token = APIClient(HTTP_AUTHORIZATION=f"Token {token_make(user=who['rob'])}")
        refused = sent(token, name, made.items.first().pk, body)
        assert (refused.status_code, refused.json()) == (
            403, {"detail": "Your role in this team does not allow this. Ask an owner for another one.", "code": "role"},
        )  # fmt: skip


def test_items_are_taken_answered_undone_and_skipped(api, made):
    first, second = sent(api["ana"], "take", made.pk, {"count": 2}).json()
    one = AnnotationItem.objects.get(key="f0")
    assert set(first) == {"item", "token", "until", "content", "guideline"}
    assert (first["item"], first["content"], first["guideline"]) == (one.pk, {"fact": "f0 is a fact."}, 1)
    number = str(uuid.uuid4())
    body = {"answer": YES, "sent_as": number, "token": first["token"], "comment": "Clear.", "milliseconds": 1200}
    stored = sent(api["ana"], "answers", one.pk, body)
    assert stored.status_code == 201 and sent(api["ana"], "answers", one.pk, body).json() == stored.json()
    kept = Annotation.objects.get()
    assert {name: stored.json()[name] for name in ("id", "item", "answer", "comment", "guideline", "sent_as")} == {
        "id": kept.pk, "item": one.pk, "answer": YES, "comment": "Clear.", "guideline": 1, "sent_as": number,
    }  # fmt: skip
    assert kept.milliseconds == 1200
    again = api["ana"].delete(address("answer", kept.pk))
    assert again.status_code == 200 and again.json()["item"] == one.pk and again.json()["token"] != first["token"]
    assert api["ana"].delete(address("answer", kept.pk)).json() == {"detail": "This answer was taken back already."}
    assert api["ben"].delete(address("answer", kept.pk)).status_code == 404
    assert sent(api["ana"], "skip", second["item"], {"reason": "Too long."}).status_code == 204
    assert [one["item"] for one in sent(api["ana"], "take", made.pk, {"count": 2}).json()] == [
        one.pk, AnnotationItem.objects.get(key="f2").pk,
    ]  # fmt: skip
    assert [one.what for one in ReviewEvent.objects.order_by("pk")] == ["make", "label", "undo", "skip"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"answer": YES},
        {"answer": YES, "sent_as": "7"},
        {"answer": {"verdict": "maybe"}},
        {"answer": {}},
        {"answer": [1]},
        {"answer": YES, "comment": "x" * 2001},
        {"answer": YES, "milliseconds": -1},
        {"answer": YES, "token": "mine"},
    ],
)
def test_answer_that_is_none_is_answered_400(api, made, body):
    if "answer" in body and "sent_as" not in body and body != {"answer": YES}:
        body = {**body, "sent_as": str(uuid.uuid4())}
    told = sent(api["ana"], "answers", made.items.first().pk, body)
    assert told.status_code == 400 and told.json() and not Annotation.objects.exists()


def test_refusals_are_sentences(api, people, made):
    _, who = people
    one = made.items.first()
    says(who["ben"], one, YES)
    says(who["cur"], one, YES)
    assert answered(api["ana"], one.pk, YES).json() == {
        "detail": "Two colleagues have labelled this item meanwhile. Your answer was not needed."
    }
    assert sent(api["ana"], "take", made.pk, {"count": 99}).status_code == 400
    assert sent(api["ana"], "skip", one.pk, {"reason": " "}).status_code == 400
    assert sent(api["rob"], "take", made.pk, {}).json() == {
        "detail": "Your role in this team does not allow this. Ask an owner for another one.",
        "code": "role",
    }


def test_knowing_more_ends_taking_back(api, made):
    one = made.items.first()
    stored = answered(api["ana"], one.pk, YES).json()
    assert api["ana"].get(address("item", one.pk)).json()["own"]["answer"] == YES
    told = api["ana"].delete(address("answer", stored["id"]))
    assert told.status_code == 409 and "seen what others said" in told.json()["detail"]


def test_disputes_are_anonymous_and_settled_by_others(api, people, made):
    _, who = people
    one, two, _ = made.items.order_by("place")
    for labelled, other in ((one, "ben"), (two, "cur")):
        says(who["ana"], labelled, YES, comment="It is written there.")
        says(who[other], labelled, NO)
    told = api["cur"].get(address("disputes", made.pk)).json()
    assert [shown["id"] for shown in told["results"]] == [one.pk] and told["next"] is None
    assert sorted((side["answer"]["verdict"], side["name"]) for side in told["results"][0]["sides"]) == [
        ("false", ""), ("true", ""),
    ]  # fmt: skip
    assert "ana" not in json.dumps(told) and "ben" not in json.dumps(told)
    assert {side["name"] for side in api["cur"].get(address("item", one.pk)).json()["sides"]} == {""}
    assert api["owner"].get(address("disputes", made.pk), {"after": one.place}).json()["results"][0]["id"] == two.pk
    assert api["owner"].get(address("disputes", made.pk), {"after": "x"}).status_code == 400
    settling = {"answer": UNSURE, "reason": "The source is silent."}
    assert sent(api["cur"], "settlement", two.pk, settling).status_code == 409
    settled = sent(api["cur"], "settlement", one.pk, settling)
    assert settled.status_code == 201 and settled.json()["reason"] == "The source is silent."
    shown = api["rob"].get(address("item", one.pk)).json()
    assert (shown["standing"], shown["final"], {side["name"] for side in shown["sides"]}) == (
        "settled", UNSURE, {"ana", "ben"},
    )  # fmt: skip
    assert [(given["name"], given["answer"]) for given in shown["settlements"]] == [("cur", UNSURE)]
    for bad in ({"answer": UNSURE}, {"answer": {}, "reason": "x"}, {"answer": UNSURE, "reason": ""}):
        assert sent(api["cur"], "settlement", one.pk, bad).status_code == 400


def test_agreement_is_told_in_few_queries(api, people, made):
    _, who = people
    one, two, three = made.items.order_by("place")
    AnnotationItem.objects.filter(pk=one.pk).update(machine=YES)
    for labelled, other in ((one, YES), (two, NO)):
        says(who["ana"], labelled, YES)
        says(who["ben"], labelled, other)
    says(who["ana"], three, NO)
    with CaptureQueriesContext(connection) as seen:
        told = api["rob"].get(address("agreement", made.pk)).json()
    assert len(seen) <= 6
    [verdict] = told["whole"]
    assert verdict["question"] == "verdict" and verdict["people"]["n"] == 2
    assert verdict["people"]["raw"]["value"] == 0.5 and verdict["machine"]["n"] == 1
    assert {(cell["one"], cell["other"], cell["count"]) for cell in verdict["people"]["pairs"][0]["confusion"]} == {
        ("true", "false", 1), ("true", "true", 1),
    }  # fmt: skip
    assert list(told["datasets"]) == [""]


def test_export_of_open_items_ends_ones_labelling(api, people, made):
    _, who = people
    one, two, _ = made.items.order_by("place")
    for name in ("ana", "ben"):
        says(who[name], one, YES)
    says(who["ben"], two, NO, comment="Only of an open item.")
    finished = api["cur"].get(address("export", made.pk, "jsonl"))
    text = streamed(finished)
    assert '"f0"' in text and "Only of an open item." not in text and '"f1"' not in text
    assert finished.headers["Cache-Control"] == "private, no-store"
    assert sent(api["cur"], "take", made.pk, {}).status_code == 200
    assert "Only of an open item." in streamed(api["cur"].post(address("export", made.pk, "jsonl")))
    told = sent(api["cur"], "take", made.pk, {})
    assert (told.status_code, told.json()["detail"]) == (
        409, "You took the labels of this project out, so you cannot label blind any more.",
    )  # fmt: skip
    assert answered(api["cur"], two.pk, YES).status_code == 409
    assert [one.what for one in ReviewEvent.objects.order_by("-pk")[:2]] == ["unblind", "export"]
    assert api["cur"].get(address("export", made.pk, "xml")).status_code == 404


def test_another_teams_ids_are_not_found(api, people, made):
    _, who = people
    [lease, _] = items_take(project=made, user=who["ana"])
    label = says(who["ana"], lease.item, YES)
    eve = api["eve"]
    paths = [
        *(address(name, made.pk) for name in ("project", "agreement", "disputes")),
        address("export", made.pk, "csv"),
        address("item", lease.item_id),
    ]
    assert [eve.get(path).status_code for path in paths] == [404] * 5
    posted = [
        eve.post(address("export", made.pk, "csv")),
        sent(eve, "take", made.pk, {}),
        answered(eve, lease.item_id, YES),
        sent(eve, "skip", lease.item_id, {"reason": "x"}),
        sent(eve, "settlement", lease.item_id, {"answer": YES, "reason": "x"}),
        eve.delete(address("answer", label.pk)),
    ]
    assert [one.status_code for one in posted] == [404] * 6
    assert eve.get(address("projects")).json()["results"] == [] and Annotation.objects.get().undone_at is None
    assert APIClient().get(address("projects")).status_code == 401


def test_requests_cost_the_same_queries_however_much_was_labelled(api, people):
    space, who = people
    made = project(space, who["owner"], items=30)
    counts = []
    for _ in range(28):
        with CaptureQueriesContext(connection) as taking:
            [given] = sent(api["ana"], "take", made.pk, {"count": 1}).json()
        with CaptureQueriesContext(connection) as storing:
            assert answered(api["ana"], given["item"], YES, token=given["token"]).status_code == 201
        counts.append((len(taking), len(storing)))
    assert counts[1] == counts[-1] and counts[1][0] <= 16 and counts[1][1] <= 22
