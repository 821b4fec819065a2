"""Each expert's loss, weight and margin with its error: the same numbers on every surface."""

from __future__ import annotations

import re
from dataclasses import asdict

import pytest

from saccade.cli.profile import print_guard
from saccade.engine.loop.experts import voices


def taught(client, search, user):
    """Three rounds, right ones from below and wrong ones from above: the start has them wrong."""
    page = search(user, k=20)
    for _ in range(3):
        marked = {*page["liked"], *page["disliked"]}
        new = [h["image_id"] for h in page["hits"] if h["image_id"] not in marked]
        body = {"page_id": page["page_id"], "liked": new[-2:], "disliked": new[:2]}
        page = client.post("/api/v1/feedback", json=body).json()
    return page


def sample(text: str, name: str, **labels: str) -> float:
    """The value of one series of the metrics."""
    inside = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    found = re.search(rf"^saccade_{name}{{{inside}}} (\S+)$", text, re.M)
    assert found is not None, (name, labels)
    return float(found[1])


def test_a_profile_tells_every_expert(client, search, engine):
    """What Python gives, in JSON; a loss has an error once there are two events."""
    taught(client, search, "told ana")
    guard = client.get("/api/v1/profiles/told ana").json()["guard"]
    report = engine.people.show("told ana").guard
    assert guard == {**asdict(report), "experts": [asdict(one) for one in report.experts]}
    assert {"plain", "learned", "spread", "rocchio", "margin"} <= {
        one["expert"] for one in guard["experts"]
    }
    assert sum(one["weight"] for one in guard["experts"]) == pytest.approx(1.0, abs=0.05)
    assert any(one["deviation"] > 0.0 for one in guard["experts"])


def test_the_metrics_tell_everybodys_experts(client, search, engine):
    """Loss, weight, margin and its error of each, over all people, and what was served."""
    taught(client, search, "told bob")
    text, report = client.get("/metrics").text, engine.library.report().guard
    assert report.events >= 3
    for one in report.experts:
        whose, parts = {"guard": "pictures", "expert": one.expert}, ("mean", "deviation")
        assert sample(text, "expert_loss", **whose) == pytest.approx(one.loss)
        assert sample(text, "expert_weight", **whose) == pytest.approx(one.weight)
        told = [sample(text, "expert_margin", **whose, part=part) for part in parts]
        assert told == pytest.approx([one.margin, one.deviation])
    told = [sample(text, "learning_margin", guard="pictures", part=part) for part in parts]
    assert told == pytest.approx([report.margin, report.deviation])


def test_the_command_tells_every_expert(client, search, engine, capsys):
    """A line an expert: wrong, margin ± error, weight."""
    taught(client, search, "told eva")
    report = engine.people.show("told eva").guard
    print_guard(report)
    out = capsys.readouterr().out
    assert f"{100 * report.margin:+.1f} ± {100 * report.deviation:.1f} points" in out
    for one in report.experts:
        margin = rf"\{100 * one.margin:+.1f} ± {100 * one.deviation:.1f}"
        line = rf"^{one.expert}\s+{one.loss:.1%}\s+{margin}\s+{one.weight:.1%}$"
        assert re.search(line, out, re.M), (line, out)


def test_an_expert_that_fails_is_named_in_the_answer_and_counted(
    client, search, engine, monkeypatch
):
    """Left out of the page, by name; the metrics say how often."""

    def broken(*_):
        raise RuntimeError("anyone's code")

    before = engine.library.report().dropped.get("rocchio", 0)
    monkeypatch.setitem(voices.VOICES, "rocchio", broken)
    page = taught(client, search, "told kim")
    assert page["dropped"] == ["rocchio"]
    text = client.get("/metrics").text
    assert sample(text, "expert_dropped", expert="rocchio") == before + 4
    told = {one.expert for one in engine.people.show("told kim").guard.experts}
    assert "rocchio" not in told
    assert "spread" in told
