"""How many searches a server answers, and how long each person waits.

    python benchmarks/service.py [--images 10000] [--clients 1 8 32] [--seconds 8] [--processes 1 2]
                                 [--save DIR]

A drawn store (`drawn_store`) is served on loopback, by `saccade serve --processes N`. Each client
keeps one connection and asks again as soon as it has its answer: pages of 50, of any picture of the
store. `/healthz` asked the same way is the floor: what the server and this client can do at all.
The client runs beside the server, on the same cores. Processor time is the server's own, of all its
processes: on a machine that others use too, it tells more than seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
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
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "bench.saccade"
        build(store, options.images)
        rows = [row for number in options.processes for row in served(store, options, number)]
    result = {"machine": machine(), "images": options.images, "rows": rows}
    text = f"# Served: {options.images:,} images, pages of 50\n\n{markdown(rows, digits=1)}\n"
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "service.json", result)
        write_text(options.save / "service.md", text)


def served(store: Path, options: argparse.Namespace, processes: int) -> list[dict[str, Any]]:
    program = Path(sys.executable).with_name("saccade")
    command = [program, "serve", "--store", store, "--port", "0", "--processes", str(processes)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().split()[3].rsplit(":", 1)[1])
        log = store / "catalog.sqlite"
        rows = []
        for clients in options.clients:
            floor = asyncio.run(crowd(port, clients, options.seconds / 4, lambda _: HEALTH))
            before, busy = _bytes(log), _processor(server.pid)
            found = asyncio.run(crowd(port, clients, options.seconds, _asks(options.images)))
            answers = max(1, len(found[0]))
            grown, busy = (_bytes(log) - before) / answers, _processor(server.pid) - busy
            row = _row(clients, found, floor, grown)
            rows.append({"processes": processes, **row, "processor ms": 1e3 * busy / answers})
        return rows
    finally:
        server.terminate()
        server.wait()


def _processor(pid: int) -> float:
    """Seconds of processor that a process and those it started have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(_processor(int(child)) for child in children)


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def _asks(images: int) -> Callable[[np.random.Generator], bytes]:
    def ask(rng: np.random.Generator) -> bytes:
        wanted = {"like": [f"{rng.integers(images):032x}"], "user": "many", "k": 50}
        body = json.dumps(wanted).encode()
        head = (
            "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    return ask


async def crowd(
    port: int, clients: int, seconds: float, ask: Callable[[np.random.Generator], bytes]
) -> tuple[list[float], float, int]:
    """Seconds of each answer, of all together, and the bytes of one."""
    times: list[float] = []
    sizes: list[int] = []
    end = perf_counter() + seconds

    async def client(number: int) -> None:
        rng = np.random.default_rng(number)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while perf_counter() < end:
            began = perf_counter()
            writer.write(ask(rng))
            sizes.append(await _answer(reader))
            times.append(perf_counter() - began)
        writer.close()

    began = perf_counter()
    await asyncio.gather(*(client(i) for i in range(clients)))
    return times, perf_counter() - began, int(np.mean(sizes))


async def _answer(reader: asyncio.StreamReader) -> int:
    """Read one answer of known length."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    if " 200 " not in lines[0]:
        raise SystemExit(f"the server answered {lines[0]!r}")
    length = next(int(one.split(":")[1]) for one in lines if one.startswith("content-length"))
    await reader.readexactly(length)
    return length


def _row(
    clients: int,
    found: tuple[list[float], float, int],
    floor: tuple[list[float], float, int],
    grown: float,
) -> dict[str, Any]:
    times, seconds, size = found
    low, high = np.percentile(times, [50, 95])
    return {
        "clients": clients,
        "searches/s": len(times) / seconds,
        "p50 ms": 1e3 * low,
        "p95 ms": 1e3 * high,
        "kB a page": size / 1e3,
        "kB written a search": grown / 1e3,
        "healthz/s": len(floor[0]) / floor[1],
        "healthz p95 ms": 1e3 * float(np.percentile(floor[0], 95)),
    }


def _bytes(log: Path) -> int:
    return sum(file.stat().st_size for file in log.parent.glob(f"{log.name}*"))


if __name__ == "__main__":
    main()
