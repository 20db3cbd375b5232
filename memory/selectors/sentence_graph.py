"""The part of the sentence graph around one sentence: its neighbours and theirs, among what had been said by a turn.

What is read is bounded for any size of space: a sentence has a few neighbours, and of the many that may have it as theirs the
nearest are taken.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from memory.core.types import Role
from memory.models import SentenceEdge, SentenceRecord, Space, Turn
from memory.selectors.lists import words_query

# Of those that have a sentence for their neighbour, so many are shown around the first one, and around each of the others.
INWARD = 12
INWARD_FARTHER = 2
SENTENCES = 40
LATELY = 40
FOUND = 6
HEAVY_OF_SENTENCE = ("embedding", "search", "turn__search", "turn__text")


@dataclass(frozen=True)
class Nearness:
    """An edge: `target` is a neighbour of `source`, and `source` one of `target` where `is_mutual`."""

    source: int
    target: int
    similarity: float
    is_mutual: bool


@dataclass(frozen=True)
class NearSentence:
    """A shown sentence; `distance` is its number of edges from the one in the middle."""

    sentence: SentenceRecord
    distance: int


@dataclass(frozen=True)
class SentenceNeighbourhood:
    """The shown sentences, nearest first; `is_cut` where the limit left something out."""

    sentences: tuple[NearSentence, ...]
    edges: tuple[Nearness, ...]
    is_cut: bool

    @property
    def centre(self) -> SentenceRecord:
        return self.sentences[0].sentence


def said_by_then(at: Turn | None, turn: str = "turn") -> Q:
    """Return the condition on sentences, or on rows that refer to them, of a turn's round or an earlier one."""
    if at is None:
        return Q()
    # What an index can begin at. A reply may be older than the message after it, and written down later.
    last = Turn.objects.filter(round=at.round_id).order_by("-pk").values("pk")[:1]
    return Q(**{f"{turn}__lte": last, f"{turn}__round__lte": at.round_id})


def latest_sentence(space: Space, at: Turn | None) -> int | None:
    """Return a person's last evidence among the latest, else the last evidence of all; None where there is none."""
    rows = SentenceRecord.objects.filter(said_by_then(at), space=space, is_evidence=True).order_by("-turn_id", "-index")
    last = SentenceRecord.objects.filter(pk__in=rows.values("pk")[:LATELY]).order_by("-turn_id", "-index")
    found = list(last.values_list("pk", "turn__role"))
    of_people = (pk for pk, role in found if role == Role.USER)
    return next(of_people, found[0][0] if found else None)


def sentences_worded(space: Space, words: str, at: Turn | None) -> list[SentenceRecord]:
    """Return the newest evidence with the words."""
    rows = SentenceRecord.objects.filter(said_by_then(at), space=space, is_evidence=True, search=words_query(words))
    return list(shown_rows(rows).order_by("-turn_id", "-index")[:FOUND])


def sentences_there(space: Space, ids: Sequence[int], at: Turn | None) -> list[SentenceRecord]:
    """Return those of the sentences that had been said by a turn, in their order, up to the limit of a search."""
    rows = {row.pk: row for row in shown_rows(SentenceRecord.objects.filter(said_by_then(at), space=space, pk__in=ids))}
    return [rows[pk] for pk in ids if pk in rows][:FOUND]


def shown_rows(rows: QuerySet[SentenceRecord]) -> QuerySet[SentenceRecord]:
    return rows.select_related("turn__round", "turn__session").defer(*HEAVY_OF_SENTENCE)


def sentence_neighbourhood(space: Space, sentence_id: int, at: Turn | None) -> SentenceNeighbourhood:
    """Return a sentence with its neighbours and theirs; `SentenceRecord.DoesNotExist` where it had not been said."""
    near = edges_around(space, [sentence_id], at, inward=INWARD)
    first = ends_of(near, beside={sentence_id})
    farther = edges_around(space, first, at, inward=INWARD_FARTHER)
    found = [sentence_id, *first, *ends_of(farther, beside={sentence_id, *first})]
    rows = {row.pk: row for row in shown_rows(SentenceRecord.objects.filter(space=space, pk__in=found[:SENTENCES]))}
    if sentence_id not in rows or not was_said(rows[sentence_id], at):
        raise SentenceRecord.DoesNotExist
    shown = tuple(
        NearSentence(rows[pk], 0 if pk == sentence_id else 1 if number <= len(first) else 2)
        for number, pk in enumerate(found[:SENTENCES])
        if pk in rows
    )
    return SentenceNeighbourhood(shown, joined([*near, *farther], among=rows), is_cut=len(found) > SENTENCES)


def was_said(sentence: SentenceRecord, at: Turn | None) -> bool:
    return at is None or sentence.turn.round_id <= at.round_id


def edges_around(
    space: Space, sentence_ids: Iterable[int], at: Turn | None, *, inward: int
) -> list[tuple[int, int, float]]:
    """Return the edges that leave the sentences and the strongest that reach each: source, target and similarity."""
    edge = JSONObject(source="sentence_id", target="neighbour_id", similarity="similarity")
    out = SentenceEdge.objects.filter(said_by_then(at, "neighbour__turn"), sentence=OuterRef("pk"))
    come = SentenceEdge.objects.filter(said_by_then(at, "sentence__turn"), neighbour=OuterRef("pk"))
    rows = SentenceRecord.objects.filter(space=space, pk__in=list(sentence_ids)).values_list(
        ArraySubquery(out.order_by("rank").values(found=edge)),
        ArraySubquery(come.order_by("-similarity", "pk").values(found=edge)[:inward]),
    )
    found = {(one["source"], one["target"]): one["similarity"] for row in rows for edges in row for one in edges}
    return sorted(((*pair, similarity) for pair, similarity in found.items()), key=lambda one: (-one[2], one[:2]))


def ends_of(edges: Sequence[tuple[int, int, float]], *, beside: set[int]) -> list[int]:
    """Return the sentences at the ends of edges, strongest edges first, without those of `beside`."""
    return list(dict.fromkeys(end for edge in edges for end in edge[:2] if end not in beside))


def joined(edges: Iterable[tuple[int, int, float]], *, among: Iterable[int]) -> tuple[Nearness, ...]:
    """Return the edges among the sentences, one for a mutual pair, strongest first."""
    there, strengths = set(among), {edge[:2]: edge[2] for edge in edges}
    return tuple(
        Nearness(source, target, similarity, is_mutual=(target, source) in strengths)
        for (source, target), similarity in sorted(strengths.items(), key=lambda one: (-one[1], one[0]))
        if {source, target} <= there and not (source > target and (target, source) in strengths)
    )
