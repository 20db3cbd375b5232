"""The walker finds what a search of the whole graph finds, never leaves its space, and says what it left out."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from datetime import timedelta
from types import SimpleNamespace

import networkx as nx
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import bootstrap
from memory.core.types import Expansion, Modality, PathSearch, Polarity
from memory.models import EntityRecord, SentenceRecord, Session, Space, TripleRecord
from memory.services import space_create
from memory.stores.paths import HUB_MOST
from tests.integration.memory.graphs import START, entity, spoken, triple

ENTITIES = 14


@pytest.fixture
def sentence(space: Space) -> SentenceRecord:
    return spoken(Session.objects.create(space=space, started_at=START), "Something was said.")


@pytest.fixture
def walker(space: Space):
    return bootstrap.graph_walker(space.pk)


def people(space: Space, count: int, *, prefix: str = "P") -> list[EntityRecord]:
    return EntityRecord.objects.bulk_create(EntityRecord(space=space, label=f"{prefix}{n}") for n in range(count))


def link(
    sentence: SentenceRecord, pairs: Iterable[tuple[EntityRecord, EntityRecord | str]], **fields: object
) -> list[int]:
    """Add a triple a pair, and return their ids in the order of the pairs."""
    rows = TripleRecord.objects.bulk_create(
        TripleRecord(
            space=sentence.space,
            subject=subject,
            predicate="knows",
            object=None if isinstance(target, str) else target,
            value=str(target),
            value_key=str(target),
            recorded_at=sentence.turn.said_at,
            round=sentence.turn.round,
            sentence=sentence,
            span_start=0,
            span_end=1,
            said_by="Ana",
            said_at=sentence.turn.said_at,
            **fields,
        )
        for subject, target in pairs
    )
    return [row.pk for row in rows]


def random_graph(space: Space, sentence: SentenceRecord, seed: int) -> tuple[list[int], nx.MultiGraph]:
    """Return the ids of entities and the same graph as networkx knows it: parallel edges, loops, literals, islands."""
    chooser = random.Random(seed)
    nodes = people(space, ENTITIES)
    pairs = [(chooser.choice(nodes), chooser.choice(nodes)) for _ in range(chooser.randrange(4, 2 * ENTITIES))]
    graph = nx.MultiGraph()
    graph.add_nodes_from(node.pk for node in nodes)
    for triple_id, (one, other) in zip(link(sentence, pairs), pairs, strict=True):
        graph.add_edge(one.pk, other.pk, key=triple_id)
    literals = [(chooser.choice(nodes), f"{n}") for n in range(4)]
    for triple_id, (one, words) in zip(link(sentence, literals), literals, strict=True):
        graph.add_edge(one.pk, f"{one.pk} {words}", key=triple_id)
    return [node.pk for node in nodes], graph


def triple_ids(expansion: Expansion) -> list[int]:
    return [found.id for found in expansion.triples]


def path_ids(search: PathSearch) -> list[list[int]]:
    return [[found.id for found in path.triples] for path in search.paths]


def is_connecting(ids: list[int], start: int, end: int) -> bool:
    here = start
    for triple_id in ids:
        row = TripleRecord.objects.get(pk=triple_id)
        assert here in (row.subject_id, row.object_id)
        here = row.object_id if row.subject_id == here else row.subject_id
    return here == end


@pytest.mark.parametrize("seed", range(12))
def test_paths_are_the_shortest_that_networkx_finds(space, sentence, walker, seed):
    ids, graph = random_graph(space, sentence, seed)
    pairs = [(one, other) for one in ids for other in ids if one != other]
    for max_edges in (1, 2, 3, 4, 6):
        searches = walker.find_paths_many(pairs, max_edges=max_edges, limit=500)
        for (start, end), search in zip(pairs, searches, strict=True):
            assert not search.is_capped
            far = nx.shortest_path_length(graph, start, end) if nx.has_path(graph, start, end) else None
            if far is None or far > max_edges:
                assert search.paths == ()
                continue
            expected = {
                frozenset(edges)
                for nodes in nx.all_shortest_paths(nx.Graph(graph), start, end)
                for edges in products([list(graph[one][other]) for one, other in itertools.pairwise(nodes)])
            }
            assert {frozenset(path) for path in path_ids(search)} == expected
            assert len(search.paths) == len(expected)
            assert all(len(path) == far for path in path_ids(search))
            assert is_connecting(path_ids(search)[0], start, end)


def products(choices: list[list[int]]) -> list[list[int]]:
    found: list[list[int]] = [[]]
    for keys in choices:
        found = [[*path, key] for path in found for key in keys]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_an_expansion_is_the_ball_that_networkx_finds(space, sentence, walker, seed):
    ids, graph = random_graph(space, sentence, seed)
    groups = [[one] for one in ids] + [ids[:3], ids[3:5], []]
    for hops in (0, 1, 2, 3):
        expansions = walker.expand_many(groups, hops=hops, limit=500)
        for group, expansion in zip(groups, expansions, strict=True):
            far = nx.multi_source_dijkstra_path_length(graph, set(group), weight=None) if group else {}
            rings = {key: min(far.get(one, 99), far.get(other, 99)) for one, other, key in graph.edges(keys=True)}
            inside = [key for key, distance in rings.items() if distance < hops]
            assert triple_ids(expansion) == sorted(inside, key=lambda key: (rings[key], -key))
            assert not expansion.is_capped


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_a_capped_expansion_is_the_beginning_of_the_whole_one(space, sentence, walker, limit):
    ids, _ = random_graph(space, sentence, 3)
    for one in ids:
        [whole] = walker.expand_many([[one]], hops=1, limit=500)
        [part] = walker.expand_many([[one]], hops=1, limit=limit)
        assert triple_ids(part) == triple_ids(whole)[:limit]
        assert part.is_capped == (len(whole.triples) > limit)


def test_a_hub_does_not_take_the_room_of_what_else_is_near(space, sentence, walker):
    maya, airbus, berlin, toulouse = (entity(space, name) for name in ("Maya", "Airbus", "Berlin", "Toulouse"))
    office = triple(sentence, airbus, "hasOfficeIn", toulouse)
    job, home = triple(sentence, maya, "worksFor", airbus), triple(sentence, maya, "livesIn", berlin)
    residents = link(sentence, [(person, berlin) for person in people(space, 300)])
    [found] = walker.expand_many([[maya.pk]], hops=2, limit=40)
    assert triple_ids(found) == [home.pk, job.pk, *reversed(residents[-10:]), office.pk]
    assert found.is_capped


def test_a_path_is_found_past_hubs_from_the_other_side(space, sentence, walker):
    ana, maya, airbus, toulouse = (entity(space, name) for name in ("Ana", "Maya", "Airbus", "Toulouse"))
    chain = [
        triple(sentence, ana, "hasSister", maya).pk,
        triple(sentence, maya, "worksFor", airbus).pk,
        triple(sentence, airbus, "hasOfficeIn", toulouse).pk,
    ]
    link(sentence, [(ana, thing) for thing in people(space, 400, prefix="thing")])
    link(sentence, [(fan, toulouse) for fan in people(space, 400, prefix="fan")])
    towards, back, near = walker.find_paths_many([(ana.pk, airbus.pk), (airbus.pk, ana.pk), (ana.pk, toulouse.pk)])
    assert path_ids(towards) == [chain[:2]]
    assert path_ids(back) == [chain[1::-1]]
    assert not towards.is_capped and not back.is_capped
    assert near.paths == () and near.is_capped


def test_the_whole_way_to_a_hub_is_found_from_the_other_side(space, sentence, walker):
    ana, *others = people(space, 6)
    chain = link(sentence, itertools.pairwise([ana, *others]))
    link(sentence, [(ana, thing) for thing in people(space, 400, prefix="thing")])
    pairs = [(ana.pk, other.pk) for other in others]
    with CaptureQueriesContext(connection) as captured:
        searches = walker.find_paths_many(pairs)
    assert [path_ids(search) for search in searches] == [*([chain[:far]] for far in range(1, 5)), []]
    assert not any(search.is_capped for search in searches)
    assert len(captured) <= 8
    assert [len(search.paths) for search in walker.find_paths_many(pairs, max_edges=2)] == [1, 1, 0, 0, 0]


def test_hubs_that_know_each_other_are_connected_by_their_own_triple(space, sentence, walker):
    ana, berlin = entity(space, "Ana"), entity(space, "Berlin")
    first = triple(sentence, ana, "livesIn", berlin)
    link(sentence, [(ana, thing) for thing in people(space, 300, prefix="thing")])
    link(sentence, [(person, berlin) for person in people(space, 300)])
    [search] = walker.find_paths_many([(ana.pk, berlin.pk)])
    assert path_ids(search) == [[first.pk]]
    assert not search.is_capped


def test_of_equal_paths_those_come_first_that_are_true_now_then_those_through_no_hub_then_the_newest(
    space, sentence, walker
):
    maya, tom, berlin, *friends = people(space, 6)
    old = link(sentence, [(maya, friends[0]), (friends[0], tom)])
    new = link(sentence, [(maya, friends[1]), (friends[1], tom)])
    over = link(sentence, [(maya, friends[2])], valid_to=timezone.now() - timedelta(days=1))
    over += link(sentence, [(friends[2], tom)])
    through_hub = link(sentence, [(maya, berlin), (tom, berlin)])
    link(sentence, [(person, berlin) for person in people(space, HUB_MOST, prefix="resident")])
    [search] = walker.find_paths_many([(maya.pk, tom.pk)])
    assert path_ids(search) == [new, old, through_hub, over]
    [best] = walker.find_paths_many([(maya.pk, tom.pk)], limit=2)
    assert path_ids(best) == [new, old]
    assert best.is_capped and not search.is_capped


def test_a_denial_ends_a_walk_only_where_it_denies_everything(space, sentence, walker):
    ana, coffee, tea = (entity(space, name) for name in ("Ana", "coffee", "tea"))
    dislike = triple(sentence, ana, "likes", coffee, polarity=Polarity.NEGATIVE)
    nothing = triple(sentence, ana, "worksFor", "anything", is_any=True, polarity=Polarity.NEGATIVE)
    [expansion] = walker.expand_many([[ana.pk]], hops=2)
    assert triple_ids(expansion) == [nothing.pk, dislike.pk]
    denied, unknown = walker.find_paths_many([(ana.pk, coffee.pk), (ana.pk, tea.pk)])
    assert path_ids(denied) == [[dislike.pk]]
    assert unknown == PathSearch()


UNBELIEVED = [
    {"superseded_at": timezone.now()},
    {"modality": Modality.REPORTED, "attributed_to": "Tom"},
    {"modality": Modality.HYPOTHETICAL},
    {"modality": Modality.ASKED},
]


@pytest.mark.parametrize("fields", UNBELIEVED)
def test_what_is_not_believed_is_never_walked(space, sentence, walker, fields):
    one, other = people(space, 2)
    link(sentence, [(one, other), (other, one), (one, "34")], **fields)
    assert walker.expand_many([[one.pk], [other.pk]], hops=2) == [Expansion(), Expansion()]
    assert walker.find_paths_many([(one.pk, other.pk)]) == [PathSearch()]
    assert walker.triples_from([sentence.pk]) == []


@pytest.mark.parametrize("fields", UNBELIEVED)
def test_bridges_between_hubs_are_believed_too(space, sentence, walker, fields):
    ana, berlin = people(space, 2)
    link(sentence, [(ana, berlin)], **fields)
    link(sentence, [(ana, thing) for thing in people(space, 120, prefix="thing")])
    link(sentence, [(person, berlin) for person in people(space, 120)])
    [search] = walker.find_paths_many([(ana.pk, berlin.pk)])
    assert search.paths == () and search.is_capped


@pytest.mark.parametrize("fields", UNBELIEVED)
def test_a_sentence_tells_what_was_read_in_it_however_it_stands_now(space, sentence, ana, fields):
    one, other = people(space, 2)
    said = link(sentence, [(one, other), (one, "34")], **fields)
    assert [triple.id for triple in bootstrap.space_memory(space.pk).triples_in([sentence.pk])] == said
    elsewhere = space_create(name="Ben's memory", owner=ana)
    assert bootstrap.space_memory(elsewhere.pk).triples_in([sentence.pk]) == []


def test_another_space_is_never_walked_even_by_its_ids(space, sentence, ana):
    one, other = people(space, 2)
    link(sentence, [(one, other), (one, "34")])
    elsewhere = bootstrap.graph_walker(space_create(name="Ben's memory", owner=ana).pk)
    assert elsewhere.expand_many([[one.pk, other.pk]], hops=2) == [Expansion()]
    assert elsewhere.find_paths_many([(one.pk, other.pk)]) == [PathSearch()]
    assert elsewhere.triples_from([sentence.pk]) == []


def test_nothing_is_found_for_what_is_not_there(space, walker):
    assert walker.expand_many([[10**9], []]) == [Expansion(), Expansion()]
    assert walker.expand_many([]) == []
    assert walker.find_paths_many([(10**9, 10**9 + 1), (10**9, 10**9)]) == [PathSearch(), PathSearch()]
    assert walker.triples_from([10**9]) == []
    assert walker.triples_from([]) == []


def test_triples_come_in_the_order_of_their_sentences(space, sentence, walker):
    later = spoken(sentence.turn.session, "More was said.")
    one, other = people(space, 2)
    first = link(sentence, [(one, other), (one, "34")])
    second = link(later, [(other, one)])
    assert [found.id for found in walker.triples_from([later.pk, sentence.pk, later.pk])] == [*second, *first]
    assert [found.id for found in walker.triples_from([sentence.pk, later.pk], limit=1)] == first[:1]


def crowd(space: Space, sentence: SentenceRecord, size: int) -> SimpleNamespace:
    """Return people around a hub, each with a chain of acquaintances that ends at the hub's neighbour."""
    hub, *nodes = people(space, size)
    link(sentence, [(hub, node) for node in nodes])
    link(sentence, list(itertools.pairwise(nodes)))
    return SimpleNamespace(hub=hub.pk, nodes=[node.pk for node in nodes])


def queries_of(act) -> int:
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


def test_queries_do_not_grow_with_the_batch_or_the_graph(space, sentence, walker):
    small = crowd(space, sentence, 130)
    large = crowd(space, sentence, 1300)
    expansions, paths = set(), set()
    for made in (small, large):
        for batch in (1, 12):
            starts = [[node] for node in made.nodes[:batch]]
            expansions.add(queries_of(lambda starts=starts: walker.expand_many(starts, hops=2)))
            pairs = [(node, made.nodes[-1 - place]) for place, node in enumerate(made.nodes[:batch])]
            paths.add(queries_of(lambda pairs=pairs: walker.find_paths_many(pairs)))
    assert expansions == {3}
    assert max(paths) <= 6
    assert len(paths) == 1


def test_a_request_gets_the_same_answer_alone_and_in_a_batch(space, sentence, walker):
    made = crowd(space, sentence, 400)
    pairs = [(made.nodes[0], made.nodes[-1]), (made.hub, made.nodes[7]), (made.nodes[3], made.nodes[200])]
    assert walker.find_paths_many(pairs) == [walker.find_paths_many([pair])[0] for pair in pairs]
    groups = [[made.hub], [made.nodes[5]], [made.hub, made.nodes[9]]]
    assert walker.expand_many(groups, hops=2) == [walker.expand_many([group], hops=2)[0] for group in groups]
