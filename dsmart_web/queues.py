"""How much work waits, and for how long: read from the database, so that every process tells the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from conversations.models import Reply, ReplyState
from evaluation.models import ScoreState, TurnScore
from memory.adapters.row_security.scope import everything
from memory.models import TO_MAINTAIN, ImportJobRecord, OutboxRecord, Round
from memory.services.import_jobs import WORKING


@dataclass(frozen=True)
class QueueState:
    """How many pieces of work a queue holds, and the age of the oldest in seconds; 0 where there is none."""

    length: int
    oldest_s: float


@everything()
def queue_states() -> dict[str, QueueState]:
    """Return the state of each queue: replies, rounds to learn, files to bring in, turns to score, unsent tasks."""
    return {
        "reply": state_of(Reply.objects.filter(state=ReplyState.QUEUED)),
        "maintenance": state_of(Round.objects.filter(maintenance__in=TO_MAINTAIN)),
        "imports": state_of(ImportJobRecord.objects.filter(state__in=WORKING)),
        "evaluation": state_of(TurnScore.objects.filter(state=ScoreState.PENDING)),
        "outbox": state_of(OutboxRecord.objects.all()),
    }


def state_of(rows: QuerySet) -> QueueState:
    found = rows.aggregate(count=Count("pk"), oldest=Min("created_at"))
    oldest: datetime | None = found["oldest"]
    age = 0.0 if oldest is None else max(0.0, (timezone.now() - oldest).total_seconds())
    return QueueState(found["count"], round(age, 3))


class QueueCollector(Collector):
    """Gives the state of the queues to Prometheus as of the moment at which it asks."""

    def collect(self) -> Iterator[Metric]:
        lengths = GaugeMetricFamily("dsmart_queue_length", "Pieces of work that wait in a queue.", labels=["queue"])
        ages = GaugeMetricFamily(
            "dsmart_queue_oldest_seconds",
            "Age of the oldest piece of work in a queue, 0 without any.",
            labels=["queue"],
        )
        for name, state in queue_states().items():
            lengths.add_metric([name], state.length)
            ages.add_metric([name], state.oldest_s)
        yield lengths
        yield ages
