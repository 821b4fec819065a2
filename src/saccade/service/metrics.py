"""Prometheus metrics, in a registry of their own: two apps in one process never mix.

    saccade_requests_total{method,route,status}    answers sent
    saccade_request_seconds{method,route}          time to the last byte, as a histogram
    saccade_events{kind}                           events in the log
    saccade_images                                 pictures in the collection
    saccade_unlogged                               pages shown that could not be logged
    saccade_lost                                   events at the log's end that are gone
    saccade_expert_loss{expert}                    share of pairs each expert had wrong, on average
    saccade_expert_weight{expert}                  its share of what is served, over all people
    saccade_expert_margin{expert,part}             over no learning: part is mean or deviation
    saccade_expert_dropped{expert}                 pages on which it failed and was left out
    saccade_learning_margin{part}                  of what was served over no learning
    saccade_learning_pays                          1 where that is beyond doubt

The first two are counted as requests pass, the others read when someone scrapes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.types import CollectionReport

# From a thumbnail out of the page cache to an exact search over a million pictures.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """The counters of one app."""

    def __init__(self, report: Callable[[], CollectionReport]) -> None:
        self._report = report
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
        self.events = Gauge("saccade_events", "Events kept.", ["kind"], registry=self.registry)
        self.images = Gauge("saccade_images", "Pictures indexed.", registry=self.registry)
        self.unlogged = Gauge("saccade_unlogged", "Pages not logged.", registry=self.registry)
        self.lost = Gauge("saccade_lost", "Acknowledged events gone.", registry=self.registry)
        self.guard = GuardMetrics(self.registry)

    def text(self) -> bytes:
        """Everything, in Prometheus' text format."""
        report = self._report()
        self.images.set(report.images)
        self.unlogged.set(report.unlogged)
        self.lost.set(report.lost)
        self.events.clear()
        for kind, number in report.events.items():
            self.events.labels(kind).set(number)
        self.guard.take(report)
        return generate_latest(self.registry)


class GuardMetrics:
    """What each expert's word was worth, over all people."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, text: str, *labels: str) -> Gauge:
            return Gauge(f"saccade_{name}", text, labels, registry=registry)

        self.loss = gauge("expert_loss", "Share of pairs an expert had wrong.", "expert")
        self.weight = gauge("expert_weight", "An expert's share of what is served.", "expert")
        self.margin = gauge("expert_margin", "An expert over no learning.", "expert", "part")
        self.dropped = gauge("expert_dropped", "Pages on which an expert failed.", "expert")
        self.served = gauge("learning_margin", "What is served over no learning.", "part")
        self.pays = gauge("learning_pays", "Whether learning pays beyond doubt.")

    def take(self, report: CollectionReport) -> None:
        """Read what is known now."""
        for changing in (self.loss, self.weight, self.margin, self.dropped):
            changing.clear()
        for one in report.guard.experts:
            self.loss.labels(one.expert).set(one.loss)
            self.weight.labels(one.expert).set(one.weight)
            self.margin.labels(one.expert, "mean").set(one.margin)
            self.margin.labels(one.expert, "deviation").set(one.deviation)
        for expert, pages in report.dropped.items():
            self.dropped.labels(expert).set(pages)
        self.served.labels("mean").set(report.guard.margin)
        self.served.labels("deviation").set(report.guard.deviation)
        self.pays.set(report.guard.pays)


class Measured:
    """ASGI middleware that counts and times every request under its route's template."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and note what came of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500
        started = time.perf_counter()

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watch)
        finally:
            method, route = _method(scope), _route(scope)
            self.metrics.requests.labels(method, route, str(status)).inc()
            self.metrics.seconds.labels(method, route).observe(time.perf_counter() - started)


def _method(scope: Scope) -> str:
    """The method, or `other`: a label whose values a client could invent would grow without end."""
    known = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}
    return scope["method"] if scope["method"] in known else "other"


def _route(scope: Scope) -> str:
    """The route's template, so that `/images/{image_id}` is one series and not one per picture."""
    template = getattr(scope.get("route"), "path", None)
    if template is not None:
        return str(template)
    return "/assets" if scope["path"].startswith("/assets/") else "unknown"
