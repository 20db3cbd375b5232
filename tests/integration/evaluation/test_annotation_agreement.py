"""What agreement is told from: patterns counted by the database in one query, which an index answers."""

from __future__ import annotations

from collections import Counter
from cProfile import Profile
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.core.annotation.agreement import project_agreement
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.patterns import pattern_of, read_pattern
from evaluation.models import AnnotationItem, AnnotationProject, ItemStanding
from evaluation.selectors.annotation.agreement import patterns_counted
from memory.models import Space

pytestmark = pytest.mark.django_db
KIND = kind_named("fact_verdict")
LABELS = [label.name for label in KIND.questions[0].labels]
ITEMS = 200_000


@pytest.fixture
def project(space: Space) -> AnnotationProject:
    return AnnotationProject.objects.create(space=space, name="Facts", kind=KIND.name)


def pattern(ana: str, ben: str, machine: str = "true") -> str:
    people = {"ana": {"verdict": ana}, "ben": {"verdict": ben}}
    final = {"verdict": ana} if ana == ben else None
    return pattern_of(KIND, people=people, machine={"verdict": machine}, final=final)


def item(project: AnnotationProject, text: str, **columns: Any) -> None:
    made = AnnotationItem.objects.filter(project=project).count()
    AnnotationItem.objects.create(
        **{
            "project": project,
            "place": made,
            "key": f"f{made}",
            "content": {"fact": "A."},
            "wants": 0,
            "pattern": text,
            "standing": ItemStanding.AGREED,
            **columns,
        }
    )


def test_patterns_are_counted_by_data_set_without_open_withdrawn_and_gold_items(project, space):
    same, other = pattern("true", "true"), pattern("true", "false")
    item(project, same, dataset="one")
    item(project, same, dataset="one", standing=ItemStanding.SETTLED)
    item(project, other, dataset="one", standing=ItemStanding.DISPUTED)
    item(project, same, dataset="two")
    item(project, same, dataset="two", standing=ItemStanding.OPEN)
    item(project, same, dataset="two", standing=ItemStanding.WITHDRAWN)
    item(project, same, dataset="two", gold={"verdict": "true"})
    item(AnnotationProject.objects.create(space=space, name="Others", kind=KIND.name), same, dataset="one")
    with CaptureQueriesContext(connection) as seen:
        found = patterns_counted(project)
    assert len(seen) == 1
    assert found == {
        "one": Counter({read_pattern(same): 2, read_pattern(other): 1}),
        "two": Counter({read_pattern(same): 1}),
    }


def test_a_project_without_finished_items_has_no_patterns(project):
    item(project, pattern("true", "true"), standing=ItemStanding.OPEN)
    assert patterns_counted(project) == {}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_agreement_of_200_000_items_is_read_from_an_index_alone(project):
    texts = [pattern(ana, ben, machine) for ana in LABELS for ben in LABELS for machine in LABELS]
    with connection.cursor() as cursor:
        cursor.execute(
            """
            insert into evaluation_annotationitem (project_id, place, key, dataset, stratum, cluster, content, machine_by,
                standing, wants, pattern, why, source, created_at)
            select %s, n, 'f' || n, 'set ' || n %% 2, '', '', jsonb_build_object('fact', repeat('word ', 60)), '',
                (array['agreed', 'disputed', 'settled', 'open'])[1 + n %% 4], 0, (%s::text[])[1 + n %% 63], '', '{}', now()
            from generate_series(1, %s) n
            """,
            [project.pk, texts, ITEMS],
        )
        # As the server does by itself some time after so many rows were added.
        cursor.execute("vacuum (analyze) evaluation_annotationitem")
        with CaptureQueriesContext(connection) as seen:
            patterns_counted(project)
        cursor.execute("explain (format json) " + seen[0]["sql"].replace("%", "%%"))
        [[plan]] = cursor.fetchall()
    [read] = [one for one in scans(plan[0]["Plan"]) if one["Relation Name"] == "evaluation_annotationitem"]
    assert (read["Node Type"], read["Index Name"]) == ("Index Only Scan", "annotation_item_counted")

    counts = patterns_counted(project)
    found = project_agreement(KIND, counts)
    with Profile() as profile:
        project_agreement(KIND, counts)
    with Profile() as tenfold:
        project_agreement(
            KIND, {name: Counter({one: 10 * n for one, n in count.items()}) for name, count in counts.items()}
        )
    assert sum(count.total() for count in counts.values()) == ITEMS * 3 // 4
    assert sum(len(count) for count in counts.values()) == 2 * 63
    assert list(found.datasets) == ["set 0", "set 1"]
    assert calls_of(tenfold) < 1.1 * calls_of(profile)


def calls_of(profile: Profile) -> int:
    return sum(entry.callcount for entry in profile.getstats())


def scans(node: dict[str, Any]) -> Any:
    if "Relation Name" in node:
        yield node
    for part in node.get("Plans", ()):
        yield from scans(part)
