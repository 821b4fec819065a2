"""Prometheus metrics, in a registry of their own: two apps in one process never mix.

    saccade_requests_total{method,route,status}    answers sent
    saccade_request_seconds{method,route}          time to the last byte, as a histogram
    saccade_events{kind}                           events in the log
    saccade_images                                 pictures in the collection
    saccade_unlogged                               pages shown that could not be logged
    saccade_lost                                   events at the log's end that are gone
    saccade_expert_loss{guard,expert}              share of pairs each expert had wrong, on average
    saccade_expert_weight{guard,expert}            its share of what is served, over all people
    saccade_expert_margin{guard,expert,part}       over no learning: part is mean or deviation
    saccade_expert_dropped{expert}                 pages on which it failed and was left out
    saccade_swallowed{doing,error}                 errors that were put up with; the log has them
    saccade_guard_events{guard}                    lessons that were measured
    saccade_learning_margin{guard,part}            of what was served over no learning
    saccade_learning_pays{guard}                   1 where that is beyond doubt

A guard is that of pages of pictures, or of others' candidates (`POST /rerank`). Requests and what
failed are counted as requests pass, the others read when someone scrapes. Where several processes
serve one address (`saccade serve --processes`), whichever is scraped adds up the counts of all:
prometheus-client keeps them in files of a folder that the environment names.
"""

from __future__ import annotations

import logging
import os
import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade import trace
from saccade.types import CollectionReport, GuardReport

log = logging.getLogger(__name__)

# From a thumbnail out of the page cache to an exact search over a million pictures.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Where prometheus-client looks, when it is imported, for a folder that processes share."""

Failures = Callable[[], tuple[int, Mapping[str, int]]]
Report = Callable[[], CollectionReport]
Guard = Callable[[], GuardReport]


class Metrics:
    """The counters of one app."""

    def __init__(self, report: Report, candidates: Guard, failures: Failures) -> None:
        self._failures = failures
        self._seen: tuple[int, Mapping[str, int]] = (0, {})
        self.registry = CollectorRegistry(auto_describe=True)
        self.requests = Counter(
            "saccade_requests",
            "Answers sent.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "saccade_request_seconds",
            "Seconds from request to last byte.",
            ["method", "route"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.unlogged = self._summed("unlogged", "Pages not logged.")
        self.dropped = self._summed("expert_dropped", "Pages on which an expert failed.", "expert")
        self.swallowed = self._summed("swallowed", "Errors put up with.", "doing", "error")
        self._read = CollectorRegistry()
        self._read.register(Reported(report, candidates))

    def _summed(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(
            f"saccade_{name}", text, labels, registry=self.registry, multiprocess_mode="sum"
        )

    def passed(
        self, method: str, route: str, status: int, seconds: float, request: str = ""
    ) -> None:
        """Count one request, and log it under the name that its answer has."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)
        failed = self._failures()
        if failed != self._seen:
            self._seen = failed
            self.unlogged.set(failed[0])
            for expert, pages in failed[1].items():
                self.dropped.labels(expert).set(pages)
        for cause, times in _by_kind(trace.counts()).items():
            self.swallowed.labels(*cause).set(times)
        facts = {"method": method, "route": route, "status": status, "request": request}
        log.info(
            "request method=%s route=%s status=%d seconds=%.4f request=%s",
            *(method, route, status, seconds, request),
            extra={"facts": {**facts, "seconds": round(seconds, 4)}},
        )

    def text(self) -> bytes:
        """Everything, in Prometheus' text format."""
        counted = self.registry
        if SHARED in os.environ:
            counted = CollectorRegistry()
            MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        return generate_latest(counted) + generate_latest(self._read)


class Reported:
    """What a report of the collection says, read anew each time."""

    def __init__(self, report: Report, candidates: Guard) -> None:
        self._report, self._candidates = report, candidates

    def describe(self) -> list[Metric]:
        """Nothing is known before it is read."""
        return []

    def collect(self) -> Iterator[Metric]:
        """How large the collection is, and what each expert's word was worth, over all people."""
        report = self._report()
        yield _gauge(
            "events", "Events kept.", [((k,), n) for k, n in report.events.items()], "kind"
        )
        yield _gauge("images", "Pictures indexed.", [((), report.images)])
        yield _gauge("lost", "Acknowledged events gone.", [((), report.lost)])
        guards = {"pictures": report.guard, "candidates": self._candidates()}
        experts = [(name, one) for name, guard in guards.items() for one in guard.experts]
        yield _gauge(
            "expert_loss", "Share of pairs an expert had wrong.",
            [((name, one.expert), one.loss) for name, one in experts], "guard", "expert",
        )  # fmt: skip
        yield _gauge(
            "expert_weight", "An expert's share of what is served.",
            [((name, one.expert), one.weight) for name, one in experts], "guard", "expert",
        )  # fmt: skip
        means = [((name, one.expert, "mean"), one.margin) for name, one in experts]
        deviations = [((name, one.expert, "deviation"), one.deviation) for name, one in experts]
        yield _gauge(
            "expert_margin", "An expert over no learning.", [*means, *deviations],
            "guard", "expert", "part",
        )  # fmt: skip
        yield _gauge(
            "guard_events", "Lessons that were measured.",
            [((name,), guard.events) for name, guard in guards.items()], "guard",
        )  # fmt: skip
        margins = [((name, "mean"), guard.margin) for name, guard in guards.items()]
        doubts = [((name, "deviation"), guard.deviation) for name, guard in guards.items()]
        yield _gauge(
            "learning_margin", "What is served over no learning.", [*margins, *doubts],
            "guard", "part",
        )  # fmt: skip
        yield _gauge(
            "learning_pays", "Whether learning pays beyond doubt.",
            [((name,), guard.pays) for name, guard in guards.items()], "guard",
        )  # fmt: skip


def _by_kind(counts: Mapping[trace.Cause, int]) -> dict[tuple[str, str], int]:
    """Causes that differ in their place alone, as one."""
    summed: dict[tuple[str, str], int] = {}
    for cause, times in counts.items():
        summed[cause.doing, cause.error] = summed.get((cause.doing, cause.error), 0) + times
    return summed


def _gauge(
    name: str, text: str, values: list[tuple[tuple[str, ...], float]], *labels: str
) -> Metric:
    made = GaugeMetricFamily(f"saccade_{name}", text, labels=labels)
    for which, value in values:
        made.add_metric(which, float(value))
    return made


class Measured:
    """ASGI middleware that counts and times every request under its route's template."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and note what came of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, request = 500, _named(scope)
        started = time.perf_counter()

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request
            await send(message)

        try:
            await self.app(scope, receive, watch)
        finally:
            seconds = time.perf_counter() - started
            self.metrics.passed(_method(scope), _route(scope), status, seconds, request)


def _named(scope: Scope) -> str:
    """What a request is called in the log and in its answer: as the client says, or a new name."""
    sent = Headers(scope=scope).get("x-request-id", "")
    return sent if re.fullmatch(r"[A-Za-z0-9._-]{1,64}", sent) else uuid.uuid4().hex


def _method(scope: Scope) -> str:
    """The method, or `other`: a label whose values a client could invent would grow without end."""
    methods = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}
    return scope["method"] if scope["method"] in methods else "other"


def _route(scope: Scope) -> str:
    """The route's template, so that `/images/{image_id}` is one series and not one per picture."""
    template = getattr(scope.get("route"), "path", None)
    if template is not None:
        return str(template)
    return "/assets" if scope["path"].startswith("/assets/") else "unknown"
