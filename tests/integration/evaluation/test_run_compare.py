"""The comparison of runs: sides, deltas, the items on which they differ, and its cost at a thousand items each."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from evaluation.models import EvaluationRun
from evaluation.performance.costs import ActionCosts
from evaluation.services.overrides import score_override
from memory.models import Space
from tests.integration.evaluation.measured_runs import IDENTITY, item_of, made_run
from tests.integration.evaluation.test_run_pages import part, plain

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def compared(client: Client, *runs: EvaluationRun, **asked: object) -> str:
    answer = client.get(reverse("run-compare"), {"run": [run.pk for run in runs], **asked})
    assert answer.status_code == 200
    return answer.content.decode()


def items_in(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'item-question"><a[^>]*>Where do I live \((\d+)\)', html)]


@pytest.fixture
def pair(space: Space, owner: User) -> tuple[EvaluationRun, EvaluationRun]:
    before = made_run(space, owner, name="Before", right={"graph": [1.0, 0.0, 0.0, 1.0], "base": [0.0] * 4})
    code = replace(IDENTITY, code_digest="e" * 64)
    after = made_run(
        space, owner, name="After", right={"graph": [1.0, 1.0, 1.0, 0.0]}, identity=code, extra={"token_f1": 0.5}
    )
    return before, after


def test_first_run_is_the_baseline_and_differences_are_paired(reader, pair):
    html = compared(reader, *pair)
    assert "differs in the code" in plain(html)
    row = part(html, 'aria-labelledby="by-figure"', "</table>")
    assert "Accuracy 0.50 n 4 0.75 n 4 +0.25 too few dialogues –" in row and "Token F1 – n 0 0.50 n 4 – – –" in row
    assert "−0.25" in part(compared(reader, *reversed(pair)), 'aria-labelledby="by-figure"', "</table>")
    categories = part(html, 'aria-labelledby="by-kind"', "</table>")
    assert "one step 0.50 n 2 1.00 n 2 +0.50" in categories and "two steps 0.50 n 2 0.50 n 2 +0.00" in categories
    assert "Fewer than six dialogues have neither" in plain(html) and "adjusted for" not in plain(html)
    assert "is-sure" not in html


def test_enough_dialogues_have_an_interval_and_a_p_value(reader, owner, space):
    runs = [
        made_run(space, owner, name=name, right={"graph": [value] * 8}, cases=8)
        for name, value in (("Before", 0.0), ("After", 1.0))
    ]
    html = compared(reader, *runs)
    row = part(html, 'aria-labelledby="by-figure"', "</table>")
    assert "Accuracy 0.00 n 8 1.00 n 8 +1.00 +1.00 to +1.00 0.008" in row and "is-sure" in html
    assert "adjusted for the 1 test of" in plain(html) and "too few dialogues" in part(
        html, 'aria-labelledby="by-kind"', "</table>"
    )


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({}, [1, 2, 3]),
        ({"items": "all"}, [0, 1, 2, 3]),
        ({"items": "better"}, [1, 2]),
        ({"items": "worse"}, [3]),
        ({"items": "nonsense"}, [1, 2, 3]),
        ({"category": "two steps"}, [1, 3]),
        ({"category": "*"}, [1, 2, 3]),
        ({"from": "2"}, [3]),
        ({"from": "x"}, [1, 2, 3]),
    ],
)
def test_items_are_those_on_which_they_differ(reader, pair, asked, numbers):
    html = compared(reader, *pair, **asked)
    assert items_in(html) == numbers
    assert f"?run={pair[0].pk}&amp;run={pair[1].pk}" in html


def test_override_moves_a_difference_and_is_told(reader, owner, pair):
    score_override(item=item_of(pair[1], 3, "graph"), metric="accuracy", value=1.0, comment="It is right.", by=owner)
    html = compared(reader, *pair)
    assert items_in(html) == [1, 2] and "1 item has a person's score" in plain(html)
    assert "+0.50" in part(html, 'aria-labelledby="by-figure"', "</table>")


def test_systems_of_one_run_are_compared_with_its_first(reader, pair):
    html = compared(reader, pair[0])
    assert "Accuracy 0.50 n 4 0.00 n 4 −0.50" in part(html, 'aria-labelledby="by-figure"', "</table>")
    turned = compared(reader, pair[0], system="base")
    assert "Accuracy 0.00 n 4 0.50 n 4 +0.50" in part(turned, 'aria-labelledby="by-figure"', "</table>")


def test_runs_without_a_system_in_common_are_compared_all_the_same(reader, owner, space, pair):
    other = made_run(space, owner, name="Other", right={"d_smart": [1.0] * 4})
    html = compared(reader, pair[1], other)
    assert "+0.25" in part(html, 'aria-labelledby="by-figure"', "</table>")
    assert len(re.findall(r'class="column[ "]', html)) == 2


def test_nothing_to_compare_is_said(reader, owner, space):
    assert "Tick two or more runs" in compared(reader)
    alone = made_run(space, owner, right={"graph": [1.0]})
    assert "it has one system" in compared(reader, alone)
    same = made_run(space, owner, right={"graph": [1.0]})
    html = compared(reader, alone, same)
    assert "They differ on no item." in html and "nothing differs that figures depend on" in plain(html)


def test_unfinished_run_is_compared_by_what_has_ended(reader, owner, space, pair):
    part_of = made_run(space, owner, right={"graph": [0.0, 0.0, 0.0, 0.0]}, waiting=2, state="running")
    assert "2 of 4 items have a score on every side" in plain(compared(reader, pair[1], part_of))


def test_thousand_items_each_take_few_queries(reader, owner, space):
    drawn = random.Random(4)

    def run(share: float) -> EvaluationRun:
        right = [float(drawn.random() < share) for _ in range(1000)]
        return made_run(space, owner, right={"graph": right}, cases=50, extra={"token_f1": 0.4, "evidence_recall": 0.7})

    runs = [run(0.5), run(0.6)]
    with connection.cursor() as cursor:
        cursor.execute("analyze evaluation_runitem, evaluation_itemscore")
    costs = ActionCosts("comparison", warm_up=1)
    for _ in range(2):
        with costs.one():
            html = compared(reader, *runs)
    assert len(items_in(html)) == 20 and set(costs.queries) == {7}
