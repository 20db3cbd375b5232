"""Rows of the graph that one commit makes, written together: a query a table rather than a query a row.

Their numbers are taken from the database beforehand, so that rows can refer to each other before they are stored.
"""

from collections.abc import Collection, Iterator, Sequence

from django.db import connection
from django.db.models import Model
from django.utils import timezone

from memory.core.types import Fact, GraphUpdate, Supersession
from memory.models import ConflictRecord, Round, TripleRecord

NUMBERS_AT_ONCE = 100


def numbers(model: type[Model], *, at_once: int = NUMBERS_AT_ONCE) -> Iterator[int]:
    """Yield ids that no row of the table has or will get, in ascending order."""
    taken = "select nextval(pg_get_serial_sequence(%s, 'id')) from generate_series(1, %s)"
    while True:
        with connection.cursor() as cursor:
            cursor.execute(taken, [model._meta.db_table, at_once])
            found = sorted(number for (number,) in cursor.fetchall())
        yield from found


class GraphWrites:
    """Triples and conflicts of a round that are still to be written. `write` has to come before anything reads them."""

    def __init__(self, round: Round, *, expected: int) -> None:
        self._round = round
        self._numbers = numbers(TripleRecord, at_once=max(expected, 1))
        self._triples: dict[int, TripleRecord] = {}
        self._conflicts: list[ConflictRecord] = []

    def add(self, rows: Sequence[TripleRecord]) -> None:
        """Add triples, which get their numbers now."""
        for row in rows:
            row.pk = next(self._numbers)
            self._triples[row.pk] = row

    def supersede(self, change: GraphUpdate, added: Sequence[tuple[Fact, TripleRecord]]) -> set[int]:
        """Mark what the update replaces as superseded and record each conflict; return the ids of the replaced triples.

        The successor is the row of the new fact, or the triple that stated the same already.
        """
        successors = {fact: row.pk for fact, row in added} | {fact: known.id for fact, known in change.confirmed}
        now = timezone.now()
        for clash in change.superseded:
            given = {
                "superseded_at": now,
                "superseded_by_id": successors.get(clash.new),
                "superseded_in_id": self._round.pk,
            }
            waiting = self._triples.get(clash.old.id)
            if waiting is None:
                TripleRecord.objects.filter(pk=clash.old.id).update(**given)
            else:
                for name, value in given.items():
                    setattr(waiting, name, value)
        self._clash(change.superseded, successors)
        return {clash.old.id for clash in change.superseded}

    def coexist(self, clashes: Collection[Supersession], added: Sequence[tuple[Fact, TripleRecord]]) -> None:
        """Record each clash that a rule saw and a model did not: both triples stand."""
        rows = {fact: row.pk for fact, row in added}
        self._clash(clashes, rows, decision=ConflictRecord.Decision.BOTH)

    def _clash(
        self,
        clashes: Collection[Supersession],
        new: dict[Fact, int],
        *,
        decision: ConflictRecord.Decision = ConflictRecord.Decision.SUPERSEDED,
    ) -> None:
        self._conflicts += [
            ConflictRecord(
                space_id=self._round.space_id,
                old_id=clash.old.id,
                new_id=new[clash.new],
                rule=clash.rule,
                confidence=clash.confidence,
                decision=decision,
            )
            for clash in clashes
            if clash.new in new
        ]

    def write(self) -> None:
        """Write what was added since the last call: conflicts after the triples, of which a trigger reads the rounds."""
        TripleRecord.objects.bulk_create(self._triples.values())
        ConflictRecord.objects.bulk_create(self._conflicts)
        self._triples, self._conflicts = {}, []
