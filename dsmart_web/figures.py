"""Gives Prometheus what the product's processes counted together (`memory/adapters/meters.py`)."""

import logging
from collections import defaultdict
from collections.abc import Iterator

import redis
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from memory.adapters.meters import Figure, meters, within

logger = logging.getLogger(__name__)

HISTOGRAMS = {
    "http": (
        "dsmart_http_request_seconds",
        "Time of a request by the name of its address.",
        ["route", "method", "status"],
    ),
    "reply_stage": ("dsmart_reply_stage_seconds", "Time of a stage of replies.", ["stage"]),
    "model_call": ("dsmart_model_call_seconds", "Time of a call of a language model.", ["role", "engine", "outcome"]),
}
COUNTERS = {
    "model_tokens": ("dsmart_model_tokens", "Tokens of language models.", ["role", "engine", "kind"]),
    "replies": ("dsmart_replies", "Replies that ended.", ["state"]),
}


class MeterCollector(Collector):
    """The figures of all processes. Where the Redis server that they share cannot be asked there are none."""

    def collect(self) -> Iterator[Metric]:
        try:
            figures, sockets = meters().figures(), meters().sockets()
        except redis.RedisError as error:
            logger.warning("The figures of all processes cannot be read: %s", error)
            return
        by_meter = defaultdict[str, dict[tuple[tuple[str, str], ...], list[tuple[Figure, float]]]](
            lambda: defaultdict(list)
        )
        for figure, value in figures.items():
            by_meter[figure.meter][figure.labels].append((figure, value))
        for meter, (name, told, labels) in HISTOGRAMS.items():
            histogram = HistogramMetricFamily(name, told, labels=labels)
            for named, found in by_meter[meter].items():
                summed = sum(value for figure, value in found if figure.part == "sum")
                histogram.add_metric([dict(named)[label] for label in labels], list(within(found).items()), summed)
            yield histogram
        for meter, (name, told, labels) in COUNTERS.items():
            counter = CounterMetricFamily(name, told, labels=labels)
            for named, found in by_meter[meter].items():
                counter.add_metric([dict(named)[label] for label in labels], found[0][1])
            yield counter
        yield GaugeMetricFamily("dsmart_sockets_open", "WebSockets that are open.", value=sockets)
