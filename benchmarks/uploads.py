"""Whether a server answers while many people upload pictures at once.

    python benchmarks/uploads.py [--uploads 500] [--images 90] [--json] [--save DIR]

A small world is drawn, indexed with every default descriptor and served by a process of its own.
Pictures that are not in it are uploaded as searches, all at once, each on a connection of its own;
meanwhile `/healthz` is asked again and again.

    idle, busy     milliseconds of `/healthz` before the uploads, and while they are under way
    uploads/s      answered searches over the time they took all together
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import numpy as np
from PIL import Image

from machine import machine
from saccade.testbed import worlds
from saccade.testbed.tables import markdown, write_json, write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--uploads", type=int, default=500)
    parser.add_argument("--images", type=int, default=90)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        figures = asyncio.run(measure(Path(place), options.images, options.uploads))
    result = {"machine": machine(), "uploads": options.uploads, **figures}
    text = table(figures, options.uploads)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "uploads.json", result)
        write_text(options.save / "uploads.md", text)


async def measure(place: Path, images: int, uploads: int) -> dict[str, Any]:
    worlds.write(place / "pictures", images=images, seed=1)
    store = place / "world.saccade"
    saccade = Path(sys.executable).with_name("saccade")
    subprocess.run([saccade, "index", place / "pictures", "--into", store], check=True)
    server = subprocess.Popen(
        [saccade, "serve", "--store", store, "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[3]
        return await ask(url, uploads)
    finally:
        server.terminate()
        server.wait()


async def ask(url: str, uploads: int) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    pictures = [photograph(rng) for _ in range(20)]
    idle, busy = [], []
    limits = httpx.Limits(max_connections=uploads + 10)
    async with (
        httpx.AsyncClient(base_url=url, timeout=600, limits=limits) as client,
        httpx.AsyncClient(base_url=url, timeout=60) as watcher,
    ):
        for _ in range(50):
            idle.append(await health(watcher))
            await asyncio.sleep(0.02)
        started = perf_counter()
        # A trailing byte makes each upload a picture that nobody has seen.
        waiting = [
            asyncio.create_task(upload(client, pictures[i % 20] + bytes([i % 256, i // 256])))
            for i in range(uploads)
        ]
        while not all(task.done() for task in waiting):
            busy.append(await health(watcher))
            await asyncio.sleep(0.02)
        seconds = perf_counter() - started
    statuses = [task.result() for task in waiting]
    return {
        "idle_ms": spread(idle),
        "busy_ms": spread(busy),
        "asked": len(busy),
        "answered": statuses.count(200),
        "uploads_a_second": uploads / seconds,
    }


def photograph(rng: np.random.Generator) -> bytes:
    """A JPEG of 640 × 480 that looks like clouds."""
    small = rng.integers(0, 256, (15, 20, 3), np.uint8)
    out = BytesIO()
    Image.fromarray(small).resize((640, 480), Image.Resampling.BICUBIC).save(out, "JPEG")
    return out.getvalue()


async def upload(client: httpx.AsyncClient, picture: bytes) -> int:
    files = {"image": ("a.jpg", picture, "image/jpeg")}
    return (await client.post("/api/v1/search", files=files, data={"user": "many"})).status_code


async def health(client: httpx.AsyncClient) -> float:
    started = perf_counter()
    (await client.get("/healthz")).raise_for_status()
    return 1000 * (perf_counter() - started)


def spread(milliseconds: list[float]) -> dict[str, float]:
    low, high = np.percentile(milliseconds, [50, 95])
    return {"p50": float(low), "p95": float(high), "max": float(max(milliseconds))}


def table(figures: dict[str, Any], uploads: int) -> str:
    rows = [{"milliseconds": name, **figures[f"{name}_ms"]} for name in ("idle", "busy")]
    return (
        f"# /healthz while {uploads} uploads are under way\n\n{markdown(rows, digits=1)}\n"
        f"{figures['answered']} of {uploads} uploads answered, "
        f"{figures['uploads_a_second']:.1f} a second.\n"
    )


if __name__ == "__main__":
    main()
