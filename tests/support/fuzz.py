"""Long fuzzing, once in a while: mutated pictures, and requests made from the API's description.

python tests/support/fuzz.py [--images 20000] [--cases 5000] [--seed 0] [--json] [--save DIR]

pictures    each is decoded or refused in one sentence; whatever else happens is a fault
requests    each answer is one that /openapi.json announces, and never the server's fault
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).parent))

from hostile import damaged
from machine import machine
from saccade.engine import Engine
from saccade.errors import NotAnImage
from saccade.scale.decoding import decode
from saccade.testbed import worlds
from saccade.testbed.tables import write_json, write_text
from servers import running


def main() -> None:
    """Fuzz, count, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=20_000)
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    result: dict[str, Any] = {"machine": machine(), "seed": options.seed}
    if options.images:
        result["images"] = pictures(options.images, options.seed)
    if options.cases:
        result["requests"] = requests(options.cases, options.seed)
    print(json.dumps(result, indent=2) if options.json else told(result))
    if options.save:
        write_json(options.save / "fuzz.json", result)
        write_text(options.save / "fuzz.md", told(result))
    sys.exit(any(result[part]["faults"] for part in ("images", "requests") if part in result))


def pictures(count: int, seed: int) -> dict[str, Any]:
    """Decode mutated pictures, as an upload would be."""
    began = perf_counter()
    read, refused, faults = 0, Counter[str](), []
    for number, data in enumerate(damaged(seed, count)):
        try:
            decode(data)
            read += 1
        except NotAnImage as error:
            refused[error.message.partition(":")[0][:60]] += 1
        except Exception as error:
            faults.append(f"{number}: {type(error).__name__}: {error}")
    return {
        "count": count,
        "decoded": read,
        "refused": sum(refused.values()),
        "reasons": dict(refused.most_common(12)),
        "faults": faults,
        "seconds": perf_counter() - began,
    }


def requests(count: int, seed: int) -> dict[str, Any]:
    """Send what fits the description and what does not, about as much to every operation."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    from saccade.service.server import prepare

    judges = [
        not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
        checks.response_schema_conformance, checks.negative_data_rejection,
        checks.unsupported_method,
    ]  # fmt: skip
    began, sent, faults = perf_counter(), Counter[int](), []
    with tempfile.TemporaryDirectory() as place, Engine(Path(place) / "s.saccade") as engine:
        worlds.write(Path(place) / "pictures", images=12, seed=3, size=(64, 48))
        engine.add(Path(place) / "pictures", recipe="color-histogram,lbp")
        with running(prepare(engine, port=0)) as address:
            schema = schemathesis.openapi.from_url(f"{address}/openapi.json", timeout=120)
            operations = [found.ok() for found in schema.get_all_operations()]
            # What takes nothing cannot be sent anything wrong.
            ways = [
                (operation, mode)
                for operation in operations
                for mode in GenerationMode
                if mode is GenerationMode.POSITIVE
                or {"parameters", "requestBody"} & set(operation.definition.raw)
            ]
            # Some take nothing at all, and are soon through with it.
            each = -(-5 * count // (4 * len(ways)))
            for operation, mode in ways:

                @seeded(seed)
                @given(case=operation.as_strategy(generation_mode=mode))
                @settings(
                    max_examples=each, database=None, deadline=None,
                    phases=[Phase.generate], suppress_health_check=list(HealthCheck),
                )  # fmt: skip
                def check(case: Any) -> None:
                    answer = case.call(timeout=120)
                    sent[answer.status_code] += 1
                    case.validate_response(answer, checks=judges)

                try:
                    check()
                except Exception as error:
                    faults.append(f"{operation.label}: {str(error)[:400]}")
        replayed = engine.digest == engine.replay()
    return {
        "sent": sum(sent.values()),
        "operations": len(operations),
        "statuses": {str(status): sent[status] for status in sorted(sent)},
        "replay_equal": replayed,
        "faults": faults + ([] if replayed else ["the log replayed gives other models"]),
        "seconds": perf_counter() - began,
    }


def told(result: dict[str, Any]) -> str:
    """The figures as a page."""
    lines = [f"# Fuzzing\n\n`tests/support/fuzz.py`, commit {result['machine']['commit']}.\n"]
    if images := result.get("images"):
        lines.append(
            f"**{images['count']:,} mutated pictures** (`--images {images['count']}`): "
            f"{images['decoded']:,} decoded, {images['refused']:,} refused in one sentence, "
            f"{len(images['faults'])} faults.\n"
        )
        lines += [f"- {number:,} × {reason}" for reason, number in images["reasons"].items()]
    if asked := result.get("requests"):
        statuses = ", ".join(f"{number:,} × {s}" for s, number in asked["statuses"].items())
        lines.append(
            f"\n**{asked['sent']:,} requests** made from the API's description, right and wrong "
            f"ones, to {asked['operations']} operations: "
            f"{statuses}; {len(asked['faults'])} faults; "
            f"the log replayed {'equals' if asked['replay_equal'] else 'DIFFERS FROM'} the models."
        )
    parts = [result[part] for part in ("images", "requests") if part in result]
    lines += [f"\n    {fault}" for part in parts for fault in part["faults"]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
