"""A Ray cluster of three nodes that loses one while it indexes, and one while it searches.

A program of its own: a process is part of one cluster at a time. Prints what it saw as JSON.

    python three_nodes.py PICTURES PLACE
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from saccade.types import Page

RECIPE = "color-moments,lbp"


def told(page: Page) -> list[tuple[str, float]]:
    return [(hit.image_id, hit.score) for hit in page.hits]


def main(pictures: Path, place: Path) -> dict[str, object]:
    import ray
    from ray.cluster_utils import Cluster

    from saccade.engine import Engine, Progress

    prompt = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 300}
    small = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
    cluster = Cluster(
        initialize_head=True,
        head_node_args={**small, "_system_config": {**prompt, "health_check_failure_threshold": 3}},
    )
    others = [cluster.add_node(**small), cluster.add_node(**small)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    lost: list[int] = []

    def watch(step: Progress) -> None:
        # Some pictures are in, some are being described on that very node, some wait.
        if step.stage == "describe" and step.done and not lost:
            lost.append(step.done)
            cluster.remove_node(others.pop(), allow_graceful=False)

    with Engine(place / "ray.saccade", warm=False, on="ray") as engine:
        report = engine.add(pictures, recipe=RECIPE, watch=watch)
        ids = [image.image_id for image in engine.images()]
        vectors = {name: engine.library.vectors(name) for name in RECIPE.split(",")}
    with Engine(place / "here.saccade", warm=False, on="serial") as engine:
        engine.add(pictures, recipe=RECIPE)
        same = [image.image_id for image in engine.images()] == ids
        for name, column in vectors.items():
            same &= bool(np.array_equal(engine.library.vectors(name), column))
        whole = told(engine.search(ids[1], k=99))
        links = [engine.graph.neighbours(one) for one in ids[:5]]
    with Engine(place / "ray.saccade", warm=False, shards=3, on="ray") as engine:
        same_links = links == [engine.graph.neighbours(one) for one in ids[:5]]
        engine.search(ids[0], k=9)
        cluster.remove_node(others.pop(), allow_graceful=False)
        first = engine.search(ids[1], k=99)
        while sum(node["Alive"] for node in ray.nodes()) > 1:
            time.sleep(0.1)
        last = engine.search(ids[1], k=99)
        while last.missing:
            time.sleep(0.1)
            last = engine.search(ids[1], k=99)
    seen = {
        "lost at": lost,
        "added": report.added,
        "pictures": len(set(ids)),
        "problems": [*map(str, report.problems), *map(str, report.skipped)],
        "same rows": same,
        "same links": same_links,
        "honest": len(first.hits) + first.missing >= 79
        and (first.missing > 0 or told(first) == whole),
        "whole again": told(last) == whole,
    }
    ray.shutdown()
    cluster.shutdown()
    return seen


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]))))
