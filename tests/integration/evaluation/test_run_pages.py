"""The pages of *Evaluate*: what they tell of runs and items, how many queries they take, and whose they are."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.core.report import Report
from evaluation.models import EvaluationRun, ItemState, RunItem, RunState, ScoreOverride
from evaluation.services.overrides import score_override
from evaluation.services.runs import run_rows
from evaluation.views.runs import export
from memory.models import Membership, Space
from memory.services import space_create
from tests.integration.evaluation.measured_runs import item_of, made_run

pytestmark = pytest.mark.django_db
MOST_QUERIES = 14


@pytest.fixture
def reader(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def ben(db: None) -> User:
    return User.objects.create_user("ben", first_name="Ben")


@pytest.fixture
def stranger(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("eve"))
    return client


@pytest.fixture
def run(space: Space, owner: User) -> EvaluationRun:
    """Two systems on four items; of `graph` the second failed, and the fourth is unscored."""
    return made_run(
        space, owner, name="First", right={"graph": [1.0, 0.0, 1.0, None], "d_smart": [1.0, 1.0, 0.0, 0.0]}, failed=[1]
    )


def page(client: Client, name: str, *arguments: int, **asked: object) -> str:
    answer = client.get(reverse(name, args=arguments), asked)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", re.sub(r'(?s)<span class="meaning".*?</span>', "", html))).split())


def part(html: str, start: str, end: str) -> str:
    begin = html.index(">", html.index(start)) + 1
    return plain(html[begin : html.index(end, begin)])


def names_in(html: str) -> list[str]:
    return re.findall(r'<li class="fact run".*?<strong>(.*?)</strong>', html, re.S)


def test_empty_list_teaches(reader, space):
    html = page(reader, "evaluate")
    assert "Nothing was measured yet." in html and reverse("run-new") in html and 'aria-label="Which runs"' not in html
    assert "No run is like that." in page(reader, "evaluate", q="nothing")


def test_list_is_filtered_by_its_address_and_paged(reader, owner, space, ben, monkeypatch):
    Membership.objects.create(space=space, user=ben)
    made_run(space, owner, name="Old", right={"graph": [1.0]}, benchmark="locomo", tags=["nightly"], engine="http:a")
    made_run(space, ben, name="New", right={"d_smart": [1.0]}, state=RunState.STOPPED, data_name="own.jsonl")
    assert names_in(page(reader, "evaluate")) == ["New", "Old"]
    asked = [{"benchmark": "locomo"}, {"system": "graph"}, {"engine": "http:a"}, {"tag": "nightly"}, {"state": "done"},
             {"who": owner.pk}, {"q": "old"}]  # fmt: skip
    assert [names_in(page(reader, "evaluate", **one)) for one in asked] == [["Old"]] * 7
    assert names_in(page(reader, "evaluate", q="own.jsonl")) == ["New"]
    assert names_in(page(reader, "evaluate", state="nonsense")) == ["New", "Old"]
    monkeypatch.setattr("evaluation.selectors.run_list.PAGE", 1)
    first = page(reader, "evaluate", q="")
    older = unescape(re.search(r'href="([^"]*before=[^"]*)"', first).group(1))
    assert names_in(first) == ["New"] and names_in(reader.get(older).content.decode()) == ["Old"]


def test_list_tells_how_far_each_run_is(reader, run):
    said = part(page(reader, "evaluate"), f'id="run-{run.pk}-progress"', "</div>")
    assert said == "done 8 items , 2 failed , 1 lacks a figure"
    EvaluationRun.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    RunItem.objects.filter(run=run, system="d_smart").update(state=ItemState.WAITING, ended_at=None)
    html = page(reader, "evaluate")
    assert 'hx-trigger="every 2s"' in html and '<progress value="4" max="8"' in html
    assert "running 50 %" in part(html, f'id="run-{run.pk}-progress"', "</div>")


def test_progress_brings_what_can_be_done_only_where_the_state_is_another(reader, run):
    path = reverse("run-progress", args=[run.pk])
    same = reader.get(path, {"state": "done"}).content.decode()
    assert "hx-trigger" not in same and "hx-swap-oob" not in same
    EvaluationRun.objects.filter(pk=run.pk).update(state=RunState.PAUSED, why="The server does not answer.")
    answer = reader.get(path, {"state": "running"})
    news = answer.content.decode()
    assert f'id="run-{run.pk}-acts" hx-swap-oob="true"' in news and "Resume" in news
    assert "The server does not answer." in news and "First: paused" in news
    assert answer.headers["HX-Trigger"] == "run-news"


def test_run_tells_its_figures_and_its_whole_identity(reader, run):
    html = page(reader, "run", run.pk)
    table = part(html, 'aria-labelledby="by-system"', "</table>")
    rows = {(row.name, row.metric, row.group): row for row in run_rows(run)}
    for system in ("graph", "d_smart"):
        row = rows[system, "accuracy", ""]
        assert f"{system} {row.value:.2f} {row.low:.2f} to {row.high:.2f} n {row.n}" in table
    assert (rows["graph", "accuracy", ""].value, rows["graph", "accuracy", ""].n) == (pytest.approx(2 / 3), 3)
    categories = part(html, 'aria-labelledby="by-category"', "</table>")
    assert "one step" in categories and "two steps" in categories
    identity = part(html, 'id="identity"', "</details>")
    assert "c" * 64 in identity and "DSMART_SCORE_STRATEGY" in identity and run.identity_digest in identity
    assert "2 failed" in plain(html) and "answers, all cases" in plain(html)


@pytest.mark.parametrize("is_fetched", [True, False])
def test_run_of_dialogues_has_a_chart_whose_table_tells_the_turns(reader, owner, space, monkeypatch, is_fetched):
    monkeypatch.setattr("memory.templatetags.dashboard.finders.find", lambda name: name if is_fetched else None)
    run = made_run(space, owner, right={"graph": [0.5, 0.25, 0.75]}, kind="dialogues", metric="cs", cases=1)
    html = page(reader, "run", run.pk)
    table = html[html.index('id="by-turn-table"') : html.index("</table>", html.index('id="by-turn-table"'))]
    drawn = re.findall(r'data-x="([^"]*)".*?data-y="([^"]*)"', table, re.S)
    assert 'data-line="graph"' in table and drawn == [("1.0", "0.5"), ("2.0", "0.25"), ("3.0", "0.75")]
    assert "CS by turn" in html and ("as-table" not in html.split("charted")[1][:60]) == is_fetched
    assert "as-table" in page(reader, "run", run.pk, view="table").split("charted")[1][:60]


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({}, [0, 1, 2, 3, 0, 1, 2, 3]),
        ({"system": "graph"}, [0, 1, 2, 3]),
        ({"category": "two steps"}, [1, 3, 1, 3]),
        ({"category": "*", "standing": "right"}, [0, 2, 0]),
        ({"standing": "wrong"}, [2, 3]),
        ({"standing": "failed"}, [1, 1]),
        ({"standing": "unscored"}, [3]),
        ({"standing": "overridden"}, []),
        ({"q": "says d_smart"}, [0, 2, 3]),
        ({"q": "(2)"}, [2, 2]),
        ({"category": "none such"}, []),
    ],
)
def test_items_are_those_that_the_address_asks_for(reader, run, asked, numbers):
    html = page(reader, "run-items", run.pk, **asked)
    assert [int(number) for number in re.findall(r"Where do I live \((\d)\)\?</a>", html)] == numbers


def test_items_are_paged_in_their_order(reader, run, monkeypatch):
    monkeypatch.setattr("evaluation.selectors.run_items.PAGE", 3)
    html = page(reader, "run-items", run.pk)
    later = unescape(re.search(r'href="([^"]*after=[^"]*)" rel="next"', html).group(1))
    assert later == f"{reverse('run-items', args=[run.pk])}?after=2"
    second = reader.get(later).content.decode()
    assert re.findall(r'class="fact item" id="item-(\d+)"', second) == [
        str(pk)
        for pk in RunItem.objects.filter(run=run, index__in=(3, 4, 5)).order_by("index").values_list("pk", flat=True)
    ]


def test_item_tells_what_was_asked_replied_found_and_judged(reader, owner, space):
    run = made_run(space, owner, right={"graph": [1.0, 0.0], "d_smart": [0.0, 1.0]}, reason="It names the city.")
    html = page(reader, "run-item", item_of(run, 0).pk)
    said = plain(html)
    assert "Expected Porto" in said and "In Porto, says graph." in said and "In Rome, says d_smart." in said
    assert "I live in Porto. Ana, 2024-03-02T18:20 t1 the reply rests on it" in said
    assert "The judge: It names the city." in said and "Looked up what is known 2 facts" in said
    other = plain(page(reader, "run-item", item_of(run, 1).pk))
    assert "the reply does not rest on it" in other
    neighbour = reverse("run-item", args=[item_of(run, 1).pk])
    assert f'href="{neighbour}" rel="next"' in html and 'rel="prev"' not in html


def test_item_of_another_run_stands_beside(reader, owner, space):
    first = made_run(space, owner, right={"graph": [1.0]}, name="First")
    second = made_run(space, owner, right={"graph": [0.0]}, name="Second")
    html = page(reader, "run-item", item_of(first, 0).pk, run=second.pk)
    columns = re.findall(r'class="column[^"]*" id="reply-(\d+)"', html)
    assert columns == [str(item_of(first, 0).pk), str(item_of(second, 0).pk)]
    assert "Second" in html and "Second" not in page(reader, "run-item", item_of(first, 0).pk)


def test_hostile_words_are_shown_as_words(reader, owner, space):
    run = made_run(space, owner, right={"graph": [1.0]}, name="<script>alert(1)</script>")
    RunItem.objects.filter(run=run).update(question="<img src=x onerror=alert(1)>", reply="<b>bold</b>")
    for html in (page(reader, "evaluate"), page(reader, "run-item", item_of(run, 0).pk)):
        assert "<script>alert(1)" not in html and "<img src=x" not in html and "<b>bold" not in html


def override(client: Client, item: RunItem, **fields: object) -> str:
    answer = client.post(reverse("run-override", args=[item.pk]), {"metric": "accuracy", **fields}, follow=True)
    return plain(answer.content.decode())


def test_override_counts_in_every_figure_and_is_taken_back(reader, run):
    item = item_of(run, 3)
    said = override(reader, item, value="1", comment="The same in other words.")
    assert "Your score of accuracy counts now" in said and "overridden" in said
    assert "The same in other words." in said
    assert "1 score was given by a person, and counts" in plain(page(reader, "run", run.pk))
    assert "0.75" in part(page(reader, "run", run.pk), 'aria-labelledby="by-system"', "</table>")
    assert "lack" not in part(page(reader, "evaluate"), f'id="run-{run.pk}-progress"', "</div>")
    assert "overridden" in page(reader, "run-items", run.pk, standing="overridden")
    said = override(reader, item, take_back="yes")
    assert "What was measured counts again" in said and "taken back" in said
    assert list(ScoreOverride.objects.filter(item=item).order_by("pk").values_list("value", flat=True)) == [1.0, None]
    assert "0.67" in part(page(reader, "run", run.pk), 'aria-labelledby="by-system"', "</table>")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"value": "1"}, "Say in a few words why"),
        ({"comment": "x"}, "Give a score."),
        ({"value": "x", "comment": "x"}, "Give a number."),
        ({"value": "1.5", "comment": "x"}, "1.5 is no score of accuracy. Give a number from 0 to 1."),
        ({"value": "nan", "comment": "x"}, "Give a number."),
        ({"value": "1", "comment": "x", "metric": "beauty"}, "No item of this run has a score 'beauty'."),
        ({"take_back": "yes"}, "There is nothing to take back."),
    ],
)
def test_override_that_cannot_stand_is_refused_with_the_reason(reader, run, fields, why):
    assert why in override(reader, item_of(run, 0), **fields)
    assert not ScoreOverride.objects.exists()


def test_item_that_has_not_ended_is_not_overridden(reader, owner, space):
    run = made_run(space, owner, right={"graph": [1.0, 1.0]}, waiting=1)
    assert "has not ended yet" in override(reader, item_of(run, 1), value="1", comment="x")


def test_stop_resume_and_delete_are_done_in_place(reader, owner, space):
    run = made_run(space, owner, right={"graph": [1.0, 1.0]}, waiting=1, state=RunState.RUNNING)
    back = reverse("evaluate") + "?q=a"
    assert reader.post(reverse("run-stop", args=[run.pk]), {"back": back}).url == back
    run.refresh_from_db()
    assert run.state == RunState.STOPPED
    said = plain(reader.post(reverse("run-resume", args=[run.pk]), follow=True).content.decode())
    assert "was not resumed" in said and "changed since it was made" in said
    said = plain(reader.post(reverse("run-delete", args=[run.pk]), follow=True).content.decode())
    assert "is deleted" in said and not EvaluationRun.objects.exists()


def test_run_is_deleted_by_its_maker_and_by_an_owner_of_its_space(run, owner, space, ben):
    Membership.objects.create(space=space, user=ben)
    member = Client()
    member.force_login(ben)
    assert f'id="delete-{run.pk}"' not in page(member, "run", run.pk)
    assert member.post(reverse("run-delete", args=[run.pk])).status_code == 403
    own = made_run(space, ben, right={"graph": [1.0]}, name="Ben's")
    assert member.post(reverse("run-delete", args=[own.pk])).status_code == 302
    assert list(EvaluationRun.objects.all()) == [run]


@pytest.fixture
def file_of(owner: User) -> Callable[[EvaluationRun, str], tuple[str, dict[str, str]]]:
    def read(run: EvaluationRun, form: str) -> tuple[str, dict[str, str]]:
        response = export.export_response(run, form)
        return "".join(export.FORMS[form][1](run)), dict(response.headers)

    return read


def test_figures_are_taken_out_in_the_one_form(run, file_of):
    text, headers = file_of(run, "json")
    report = Report.from_json(text)
    assert list(report.rows) == run_rows(run)
    assert report.identity.data == {"people.jsonl": "d" * 64} and report.command == "evaluate run"
    assert headers["Cache-Control"] == "private, no-store"
    assert headers["Content-Disposition"] == f'attachment; filename="first-{run.pk}.json"'


def test_items_are_taken_out_as_csv_without_formulas(run, owner, file_of):
    RunItem.objects.filter(run=run, key="q0").update(reply="=HYPERLINK(0)", question="@x")
    score_override(item=item_of(run, 3), metric="accuracy", value=1.0, comment="-1+1", by=owner)
    text, headers = file_of(run, "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 8 and rows[0]["reply"] == "'=HYPERLINK(0)" and rows[0]["question"] == "'@x"
    assert (rows[3]["accuracy"], rows[3]["accuracy_measured"]) == ("1.0", "")
    assert (rows[3]["accuracy_by"], rows[3]["accuracy_comment"]) == (owner.username, "'-1+1")
    assert (rows[1]["accuracy"], rows[1]["state"], rows[1]["error"]) == (
        "0.0",
        "failed",
        "The model answered with nothing.",
    )
    assert headers["Cache-Control"] == "private, no-store" and headers["Content-Type"].startswith("text/csv")


def test_items_are_taken_out_as_json_lines_with_traces_and_overrides(run, owner, file_of):
    score_override(item=item_of(run, 0), metric="accuracy", value=0.0, comment="No.", by=owner)
    items = [json.loads(line) for line in file_of(run, "jsonl")[0].splitlines()]
    assert [one["key"] for one in items] == ["q0", "q1", "q2", "q3"] * 2
    assert items[0]["trace"][0]["lines"] == ["Looked up what is known", "  2 facts"]
    score = items[0]["scores"]["accuracy"]
    assert (score["value"], score["measured"]) == (0.0, 1.0)
    assert [(one["value"], one["comment"], one["by"]) for one in score["overrides"]] == [(0.0, "No.", owner.username)]


def test_export_in_a_form_that_there_is_not_is_404(reader, run):
    assert reader.get(reverse("run-export", args=[run.pk, "xml"])).status_code == 404
    assert reader.get(reverse("run-export", args=[run.pk, "csv"])).status_code == 200


def test_run_of_another_space_is_not_found_anywhere(stranger, reader, run, owner, ben):
    mine = made_run(space_create(name="Eve's", owner=User.objects.get(username="eve")), owner, right={"graph": [1.0]})
    item = item_of(run, 0)
    paths = [
        *(reverse(name, args=[run.pk]) for name in ("run", "run-items", "run-progress")),
        *(reverse("run-export", args=[run.pk, form]) for form in ("json", "jsonl", "csv")),
        reverse("run-item", args=[item.pk]),
        f"{reverse('run-compare')}?run={mine.pk}&run={run.pk}",
        f"{reverse('run-compare')}?run={run.pk}",
        f"{reverse('run-item', args=[item_of(mine, 0).pk])}?run={run.pk}",
        f"{reverse('run-compare')}?run=999999",
    ]
    assert [stranger.get(path).status_code for path in paths] == [404] * len(paths)
    posts = [reverse(name, args=[run.pk]) for name in ("run-stop", "run-resume", "run-delete", "run-describe")]
    posts.append(reverse("run-override", args=[item.pk]))
    fields = {"metric": "accuracy", "value": "0", "comment": "x", "name": "Eve's now"}
    assert [stranger.post(path, fields).status_code for path in posts] == [404] * 5
    assert EvaluationRun.objects.get(pk=run.pk).name == "First"
    assert not ScoreOverride.objects.exists() and EvaluationRun.objects.filter(pk=run.pk).exists()
    assert names_in(page(stranger, "evaluate")) == ["A run"]
    Membership.objects.create(space=run.space, user=ben)
    member = Client()
    member.force_login(ben)
    assert member.get(paths[0]).status_code == 200
    Membership.objects.filter(user=ben).delete()
    assert member.get(paths[0]).status_code == 404


def test_name_tags_and_comment_change_in_place_and_nothing_else(reader, run):
    before = EvaluationRun.objects.values().get(pk=run.pk)
    given = {"name": " Second ", "tags": "nightly, , nightly, Ana's", "comment": "The prompt\nwas <shorter>."}
    answer = reader.post(reverse("run-describe", args=[run.pk]), given)
    assert (answer.status_code, answer["Location"]) == (302, reverse("run", args=[run.pk]))
    words = {"name": "Second", "tags": ["nightly", "Ana's"], "comment": "The prompt\nwas <shorter>."}
    assert EvaluationRun.objects.values().get(pk=run.pk) == {**before, **words}
    html = page(reader, "run", run.pk)
    assert "The prompt<br>was &lt;shorter&gt;." in html and 'value="nightly, Ana&#x27;s"' in html
    assert names_in(page(reader, "evaluate", q="shorter")) == ["Second"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": " "}, "Give the run a name."),
        ({"name": "n" * 121}, "at most 120 characters"),
        ({"name": "Kept", "tags": "t" * 41}, "each of at most 40 characters"),
        ({"name": "Kept", "comment": "c" * 2_001}, "at most 2000 characters"),
    ],
)
def test_words_that_do_not_fit_are_refused_beside_what_was_written(reader, run, given, why):
    answer = reader.post(reverse("run-describe", args=[run.pk]), given)
    html = answer.content.decode()
    assert answer.status_code == 422 and why in html and f'id="words-{run.pk}" open' in html
    assert all(value in html for value in given.values()) and "<h1>First</h1>" in html
    assert EvaluationRun.objects.get(pk=run.pk).name == "First"


def test_words_are_changed_by_the_maker_and_by_owners_alone(run, space, ben):
    member = Client()
    member.force_login(ben)
    membership = Membership.objects.create(space=space, user=ben)
    path = reverse("run-describe", args=[run.pk])
    assert member.post(path, {"name": "Ben's"}).status_code == 403 and path not in page(member, "run", run.pk)
    made = made_run(space, ben, right={"graph": [1.0]})
    assert member.post(reverse("run-describe", args=[made.pk]), {"name": "Ben's"}).status_code == 302
    membership.role = Membership.Role.OWNER
    membership.save()
    assert member.post(path, {"name": "Ben's too"}).status_code == 302
    assert list(EvaluationRun.objects.order_by("pk").values_list("name", flat=True)) == ["Ben's too", "Ben's"]


def queries(client: Client, path: str) -> int:
    cache.clear()
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code == 200
    return len(seen)


def test_pages_take_the_same_queries_whatever_there_is(reader, owner, space):
    def paths(run: EvaluationRun, other: EvaluationRun) -> list[str]:
        return [
            reverse("evaluate"),
            reverse("run", args=[run.pk]),
            reverse("run-items", args=[run.pk]),
            reverse("run-item", args=[item_of(run, 0).pk]),
            f"{reverse('run-compare')}?run={run.pk}&run={other.pk}",
            f"{reverse('run-trend')}?benchmark=jsonl&system=graph",
            reverse("run-progress", args=[run.pk]),
        ]

    small = [made_run(space, owner, right={"graph": right}) for right in ([1.0, 0.0], [0.0, 1.0])]
    few = [queries(reader, path) for path in paths(*small)]
    large = [
        made_run(space, owner, right={name: [1.0, 0.0] * 30 for name in ("graph", "d_smart")}, failed=[2], tags=["a"])
        for _ in range(4)
    ]
    score_override(item=item_of(large[0], 0), metric="accuracy", value=0.0, comment="No.", by=owner)
    many = [queries(reader, path) for path in paths(*large[:2])]
    assert many == few and max(many) <= MOST_QUERIES, (few, many)


def test_places_of_evaluate_are_in_the_bar_the_palette_and_the_shortcuts(reader, space):
    html = page(reader, "evaluate")
    assert re.search(r'href="/evaluate/" data-shortcut="e" aria-current="page">Evaluate<', html)
    assert "<kbd>e</kbd>" in html and 'data-shortcut="n"' in html
    found = reader.get(reverse("palette"), {"q": "evalu"}).content.decode()
    assert [reverse(name) in found for name in ("evaluate", "run-new", "run-trend", "run-live")] == [True] * 4
    assert "Evaluate" in page(reader, "talk")


def test_figures_of_an_ended_run_are_drawn_once_until_a_person_gives_a_score(reader, run, owner):
    cache.clear()
    first = page(reader, "run", run.pk)
    with CaptureQueriesContext(connection) as seen:
        assert part(page(reader, "run", run.pk), "<tbody>", "</tbody>") == part(first, "<tbody>", "</tbody>")
    few = len(seen)
    score_override(item=item_of(run, 0), metric="accuracy", value=0.0, comment="No.", by=owner)
    with CaptureQueriesContext(connection) as seen:
        assert part(page(reader, "run", run.pk), "<tbody>", "</tbody>") != part(first, "<tbody>", "</tbody>")
    assert len(seen) > few
