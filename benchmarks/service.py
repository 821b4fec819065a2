"""How much a server answers, and how long each person waits.

    python benchmarks/service.py [--images 10000] [--clients 1 8 32] [--seconds 8] [--processes 1 2]
                                 [--loads search rerank-100 rerank-500 marks marks-500]
                                 [--save DIR]

A drawn store (`drawn_store`) is served on loopback, by `saccade serve --processes N`. Each client
keeps one connection and asks again as soon as it has its answer:

    search        a page of 50, of any picture of the store
    rerank-100    so many candidates of ten features each, in an order that was taught
    marks         one ✓ and one ✕ on a page of 50, which comes back ranked anew; the search before
                  it is not timed. Afterwards the log is counted: what was acknowledged is there
    marks-500     the same by people who look at the page for so many milliseconds before they mark

`/healthz` asked the same way is the floor: what the server and this client can do at all. The
client runs beside the server, on the same cores. Processor time is that of the server, of all its
processes, and that of the client; `room` is how many answers a second the cores have processor time
for: on a machine that others use too, it tells more than seconds, and the load says how many did.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from drawn_store import build
from machine import machine
from saccade.testbed.tables import markdown, write_json, write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument(
        "--loads", nargs="+", default=["search", "rerank-100", "rerank-500", "marks", "marks-500"]
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "bench.saccade"
        build(store, options.images)
        where, before = machine(), os.getloadavg()[0]
        rows = [row for number in options.processes for row in served(store, options, number)]
    load = {"before": before, "after": os.getloadavg()[0]}
    result = {"machine": where, "load": load, "images": options.images, "rows": rows}
    rows = [{"lost": "", **row} for row in rows]
    text = told(result, rows)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "service.json", result)
        write_text(options.save / "service.md", text)


AIMS = (
    ("search", 32, "a second", 200.0, "searches a second"),
    ("rerank-100", 8, "a second", 300.0, "lists of 100 candidates a second"),
    ("rerank-500", 1, "p95 ms", 20.0, "ms at the 95th percentile for 500 candidates"),
    ("marks", 8, "p95 ms", 50.0, "ms at the 95th percentile for marks of 8 clients"),
    ("marks-500", 8, "p95 ms", 50.0, "ms for marks of 8 people who look for half a second"),
)
"""Load, clients, figure, what is aimed at, and what that is called."""


def told(result: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """The figures as a page, with what is aimed at."""
    lines = []
    for load, clients, name, aim, called in AIMS:
        found = [r[name] for r in rows if r["load"] == load and r["clients"] == clients]
        if found:
            best = max(found) if name == "a second" else min(found)
            reached = best >= aim if name == "a second" else best <= aim
            room = max(r["room"] for r in rows if r["load"] == load and r["clients"] == clients)
            lines.append(
                f"- {aim:g} {called}: {best:.1f}, {'' if reached else 'not '}reached; "
                f"processor time for {room:.0f} a second."
            )
    lost = sum(row["lost"] or 0 for row in rows)
    where, load = result["machine"], result["load"]
    return f"""# Served: {result["images"]:,} images

`benchmarks/service.py`, {where["cores"]} cores that the client shares, commit {where["commit"]}.
Load when it began and ended: {load["before"]:.1f} and {load["after"]:.1f}; alone it makes 2 to 3.

{markdown(rows, digits=1)}

What is aimed at, by the best number of processes:

{chr(10).join(lines)}

Marks that were acknowledged and are not in the log: {lost}. `marks` are sent as fast as answers
come, after a search each; `marks-500` by people who look at a page for half a second first.

An earlier version gave 223 searches a second to 32 clients of two processes, those before it 73
and 56, with pages of 95 kB.
"""


def served(store: Path, options: argparse.Namespace, processes: int) -> list[dict[str, Any]]:
    program = Path(sys.executable).with_name("saccade")
    command = [program, "serve", "--store", store, "--port", "0", "--processes", str(processes)]
    rows = []
    for load in options.loads:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().split()[3].rsplit(":", 1)[1])
            for clients in options.clients:
                about = {"load": load, "processes": processes, "clients": clients}
                rows.append(about | measured(server.pid, port, store, load, clients, options))
        finally:
            server.terminate()
            server.wait()
        if load.startswith("marks"):
            rows[-1]["lost"] = _acknowledged(rows, processes, load) - _kept(store)
    return rows


def measured(
    pid: int, port: int, store: Path, load: str, clients: int, options: argparse.Namespace
) -> dict[str, Any]:
    """One load with so many clients."""
    log, talk = store / "catalog.sqlite", _talks(load, options.images)
    floor = asyncio.run(crowd(port, clients, options.seconds / 4, _healthy))
    before, busy, mine = _bytes(log), _processor(pid), process_time()
    look = int(load.partition("-")[2]) / 1e3 if load.startswith("marks-") else 0.0
    times, seconds, size = asyncio.run(crowd(port, clients, options.seconds, talk, look))
    answers = max(1, len(times))
    low, high = np.percentile(times, [50, 95])
    spent, asking = (
        1e3 * (_processor(pid) - busy) / answers,
        1e3 * (process_time() - mine) / answers,
    )
    return {
        "answers": len(times),
        "a second": len(times) / seconds,
        "p50 ms": 1e3 * low,
        "p95 ms": 1e3 * high,
        "processor ms": spent,
        "client ms": asking,
        "room": 1e3 * len(os.sched_getaffinity(0)) / (spent + asking),
        "kB an answer": size / 1e3,
        "kB written": (_bytes(log) - before) / answers / 1e3,
        "healthz/s": len(floor[0]) / floor[1],
        "healthz p95 ms": 1e3 * float(np.percentile(floor[0], 95)),
    }


def _acknowledged(rows: list[dict[str, Any]], processes: int, load: str) -> int:
    mine = [row for row in rows if (row["load"], row["processes"]) == (load, processes)]
    return sum(row["answers"] for row in mine)


_SEEN: list[int] = []


def _kept(store: Path) -> int:
    """Marks in the log since the last count."""
    import saccade

    with saccade.open(store, warm=False) as engine:
        every = engine.library.report().events.get("reacted", 0)
    _SEEN.append(every - sum(_SEEN))
    return _SEEN[-1]


def _processor(pid: int) -> float:
    """Seconds of processor that a process and those it started have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(_processor(int(child)) for child in children)


Talk = Generator[tuple[bytes, bool], bytes, None]
"""Requests of one client, each with whether it is timed; it is sent the answer."""


def _healthy(number: int) -> Talk:
    while True:
        yield b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", True


def _talks(load: str, images: int) -> Callable[[int], Talk]:
    kind, _, size = load.partition("-")
    if kind == "rerank":
        return lambda number: _reranking(number, int(size))
    return {"search": partial(_searching, images), "marks": partial(_marking, images)}[kind]


def _searching(images: int, number: int) -> Talk:
    rng = np.random.default_rng(number)
    while True:
        wanted = {"like": [f"{rng.integers(images):032x}"], "user": "many", "k": 50}
        yield _post("search", wanted), True


def _marking(images: int, number: int) -> Talk:
    rng = np.random.default_rng(number)
    while True:
        wanted = {"like": [f"{rng.integers(images):032x}"], "user": f"marks-{number}", "k": 50}
        page = json.loads((yield _post("search", wanted), False))
        right, wrong = (page["hits"][place]["image_id"] for place in (3, 40))
        marks = {"page_id": page["page_id"], "liked": [right], "disliked": [wrong]}
        yield _post("feedback", marks), True


def _reranking(number: int, size: int) -> Talk:
    rng = np.random.default_rng(number)

    def wanted() -> dict[str, Any]:
        found = [
            {"id": f"sku-{place}", "features": {f"f{i}": x for i, x in enumerate(row)}}
            for place, row in enumerate(rng.random((size, 10)).round(4).tolist())
        ]
        query = {"text": f"text {rng.integers(20)}"}
        return {"user": f"shop-{number}", "query": query, "candidates": found}

    lists = [_post("rerank", wanted()) for _ in range(20)]  # made before, not meanwhile
    page = json.loads((yield lists[0], False))
    marks = {"page_id": page["page_id"], "liked": ["sku-5"], "disliked": ["sku-9"]}
    yield _post("feedback", marks), False
    while True:
        for one in lists:
            yield one, True


def _post(path: str, wanted: dict[str, Any]) -> bytes:
    body = json.dumps(wanted).encode()
    head = (
        f"POST /api/v1/{path}?explain=false HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def crowd(
    port: int, clients: int, seconds: float, talk: Callable[[int], Talk], look: float = 0.0
) -> tuple[list[float], float, int]:
    """Seconds of each answer that is timed, of all together, and the bytes of one.

    Each client looks at what it has for so many seconds before it asks for what is timed.
    """
    times: list[float] = []
    sizes: list[int] = []

    async def client(number: int) -> None:
        said = talk(number)
        ask, timed = next(said)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while timed is False or perf_counter() < end or not times:
            if timed and look:
                await asyncio.sleep(look)
            began = perf_counter()
            writer.write(ask)
            answer = await _answer(reader)
            if timed:
                times.append(perf_counter() - began)
                sizes.append(len(answer))
            ask, timed = said.send(answer)
        writer.close()

    began = perf_counter()
    end = began + seconds
    await asyncio.gather(*(client(i) for i in range(clients)))
    return times, perf_counter() - began, int(np.mean(sizes))


async def _answer(reader: asyncio.StreamReader) -> bytes:
    """Read one answer of known length."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    if " 200 " not in lines[0]:
        raise SystemExit(f"the server answered {lines[0]!r}")
    length = next(int(one.split(":")[1]) for one in lines if one.startswith("content-length"))
    return await reader.readexactly(length)


def _bytes(log: Path) -> int:
    return sum(file.stat().st_size for file in log.parent.glob(f"{log.name}*"))


if __name__ == "__main__":
    main()
