"""The whole API, walked through in sequences that use what exists: every answer is a declared one.

    python tests/endurance/api.py [--requests 50000] [--minutes M] [--seed 0] [--save results]

Requests are made from /openapi.json. Where a field names something (a picture, a page, a person, an
attribute, a concept, a saved search), it mostly names one that is there by then, because an earlier
request made it; and now and then anything at all. Wrong is a status of 500 and above, one that is
not declared, an error in another shape, an operation that never answered 200, and a log that
replays to other models.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import httpx

import figures
from saccade.engine import Engine
from saccade.service.server import prepare
from saccade.testbed import worlds
from servers import running

NDJSON = "application/x-ndjson"
KNOWN = 0.85
"""How often a field that can name something that exists does so."""
ODD: tuple[Any, ...] = (
    "", " ", "x" * 300, "..", "a/b", "%2F", "é\u202e", "\U0001f600", "0" * 32, "null", -1, 0, 2**63,
    1e308, True, None, [], {}, [[]], {"a": 1},
)  # fmt: skip

PLACES = {
    "image_id": "images", "better": "images", "worse": "images", "more": "images",
    "less": "images", "liked": "images", "disliked": "images", "cleared": "images",
    "like": "images", "unlike": "images", "images": "images", "without": "images",
    "page_id": "pages", "page": "pages", "user": "users", "tag": "tags", "concept": "concepts",
    "schemes": "schemes", "image": "images", "attribute": "attributes", "job_id": "jobs",
    "session": "sessions", "folder": "folders",
}  # fmt: skip
"""What a field names."""
NAMES = {"/attributes": "attributes", "/concepts": "concepts", "/saved": "saved"}
"""What `name` names, by a part of the address."""
CHOICES: dict[str, tuple[Any, ...]] = {
    "ranker": ("guarded", "plain", "learned", "spread", "margin"),
    "grade": (1, -1, "good", "ok", "junk"),
    "k": (1, 5, 20),
    "region": (0, 1),
    "exploring": (0.0, 0.1),
    "configuration": ("auto", "vote"),
    "verify": (0, 3),
    "text": (None, "coast"),
    "end": ("most", "least"),
    "descriptors": (None,),
    "kind": ("index", "reindex"),
    "shape": ("wide", "tall", "square"),
}


class Walk:
    """A client that remembers what there is."""

    def __init__(self, client: httpx.Client, seed: int) -> None:
        self._client, self._chance = client, Random(seed)
        self._document = client.get("/openapi.json").json()
        self.operations = [
            (path, method, operation)
            for path, methods in self._document["paths"].items()
            for method, operation in methods.items()
        ]
        self.statuses: Counter[int] = Counter()
        self.answered: set[str] = set()
        self.wrong: list[str] = []
        self._pools: dict[str, list[Any]] = defaultdict(list)
        self._exported: list[Any] = []
        self._within: dict[str, list[str]] = {}  # page or concept -> its pictures

    def begin(self, pictures: list[bytes], folder: str) -> None:
        """Know what is there at the start."""
        get = self._client.get
        self._uploads = pictures
        self._pools["images"] = [
            item["image_id"] for item in get("/api/v1/images?limit=500").json()["items"]
        ]
        self._pools["users"] = ["ana", "bob", "eva smith", "ζωή"]
        self._pools["tags"] = ["mine", "holiday"]
        self._pools["attributes"] = ["natural", "open"]
        self._pools["concepts"] = [
            item["name"] for item in get("/api/v1/concepts").json()["items"]
        ] + ["tag:mine"]
        self._pools["saved"] = ["one", "two"]
        self._pools["folders"] = [folder]
        self._pools["schemes"] = [
            item["scheme"] for item in get("/api/v1/schemes").json()["items"]
        ]  # fmt: skip

    def step(self) -> None:
        """One request, to whichever operation needs it most, or to any."""
        missing = [one for one in self.operations if self._name(one) not in self.answered]
        among = missing if missing and self._chance.random() < 0.2 else self.operations
        path, method, operation = self._chance.choice(among)
        # Who is forgotten takes their pages along: often, and nobody would say anything of a page.
        if method == "delete" and path.endswith("/{user}") and self._chance.random() < 0.9:
            path, method, operation = self._chance.choice(self.operations)
        self._ask(path, method, operation)

    @staticmethod
    def _name(one: tuple[str, str, Any]) -> str:
        return f"{one[1].upper()} {one[0]}"

    def _ask(self, path: str, method: str, operation: Any) -> None:
        address, query = path, {}
        often = 0.5 if len(operation.get("parameters", ())) < 5 else 0.1  # too many fit nothing
        for parameter in operation.get("parameters", ()):
            name, place = parameter["name"], parameter["in"]
            if place == "path":
                value = self._value(name, parameter["schema"], path)
                text = value if isinstance(value, str) else json.dumps(value)
                address = address.replace(
                    f"{{{name}}}", httpx.URL("/" + text).raw_path.decode()[1:]
                )
            elif place == "query" and self._chance.random() < often:
                query[name] = self._value(name, parameter["schema"], path)
        try:
            body = self._body(path, operation)
            about = unquote(address.rpartition("/")[0].rpartition("/")[2])
            self._pick(body.get("json"), about if "/concepts/" in path else "")
            answer = self._client.request(method, address, params=query, **body)
        except httpx.InvalidURL:
            return  # nobody can ask for it
        self._judge(path, method, operation, answer)
        if answer.is_success:
            self._learn(path, address, answer)

    def _body(self, path: str, operation: Any) -> dict[str, Any]:
        content = operation.get("requestBody", {}).get("content", {})
        if path.endswith("/import") and self._exported and self._chance.random() < KNOWN:
            return {"json": self._chance.choice(self._exported)}
        if path.endswith("/rerank") and self._chance.random() < KNOWN:
            return {"json": self._list()}
        if path.endswith("/events"):
            lines = map(json.dumps, self._batch())
            return {"content": "\n".join(lines), "headers": {"content-type": NDJSON}}
        if "multipart/form-data" in content and self._chance.random() < 0.1:
            picture = self._chance.choice(self._uploads)
            return {"files": {"image": ("a.png", picture, "image/png")}, "data": {"k": "5"}}
        if "application/json" not in content:
            return {}
        schema = content["application/json"]["schema"]
        return {"json": self._object(self._resolved(schema), path)}

    def _list(self) -> dict[str, Any]:
        """Candidates that another engine found."""
        ids = self._chance.sample([f"sku-{number}" for number in range(30)], 8)
        return {
            "user": self._chance.choice(self._pools["users"]),
            "query": {"text": self._chance.choice(["red shoes", "coast"])},
            "candidates": [
                {"id": one, "features": {"fit": self._chance.random()}} for one in ids
            ],
        }  # fmt: skip

    def _batch(self) -> list[Any]:
        """What somebody saw and clicked; now and then a line that is none."""
        shown = self._list()
        page = f"p-{self._chance.randrange(100)}"
        one = self._chance.choice(shown["candidates"])["id"]
        lines: list[Any] = [
            {"event": "shown", "page": page, **shown, "key": f"s-{page}"},
            {"event": "clicked", "page": page, "user": shown["user"], "id": one},
        ]
        if self._chance.random() > KNOWN:
            lines.append(self._chance.choice(ODD))
        return lines

    def _pick(self, body: Any, concept: str) -> None:
        """Mostly name pictures of the page, or of the concept, that a request is about."""
        if not isinstance(body, dict) or self._chance.random() > KNOWN:
            return
        some = self._within.get(concept or str(body.get("page_id")), [])
        if len(some) < 2:
            return
        first, second = self._chance.sample(some, 2)
        fitting = {"better": first, "worse": second, "image_id": first, "cleared": []}
        fitting |= {"liked": [first], "disliked": [second]}
        body |= {name: value for name, value in fitting.items() if name in body}
        if "page_id" in body and "name" not in body and not concept and "better" not in body:
            body |= {"liked": [first]}

    def _resolved(self, schema: Any) -> Any:
        name = schema.get("$ref", "").rpartition("/")[2]
        return self._document["components"]["schemas"][name] if name else schema

    def _object(self, schema: Any, path: str) -> Any:
        if self._chance.random() < 0.02:
            return self._chance.choice(ODD)
        required = set(schema.get("required", ()))
        # A search starts from one thing; most fields are left as they are.
        alone = self._chance.choice(["image_id", "like"])
        chosen = {}
        for name, field in schema.get("properties", {}).items():
            wanted = name in required or name == "user" or self._chance.random() < 0.12
            if path.endswith("/search") and name in ("image_id", "like"):
                wanted = name == alone
            if wanted:
                chosen[name] = self._value(name, field, path)
        return chosen

    def _value(self, name: str, schema: Any, path: str) -> Any:
        """What a field is given: something that exists, something that fits, or anything."""
        schema = self._resolved(schema)
        if self._chance.random() < 0.03:
            return self._chance.choice(ODD)
        if name == "name":
            pool = next((pool for part, pool in NAMES.items() if part in path), "saved")
        else:
            pool = PLACES.get(name, "")
        if path.endswith("/classify"):
            return self._described(name)
        if self._pools.get(pool) and self._chance.random() < KNOWN:
            return self._known(pool, schema, name, path)
        if name in CHOICES:
            return self._grade(path) if name == "grade" else self._chance.choice(CHOICES[name])
        return self._fitting(schema)

    def _known(self, pool: str, schema: Any, name: str, path: str) -> Any:
        # Pages leave, so the newest are meant; everything else stays.
        known = self._pools[pool][-20:] if pool == "pages" else self._pools[pool]
        if "array" in json.dumps(schema):
            return self._chance.sample(known, min(len(known), self._chance.randint(0, 3)))
        if name in ("more", "less") and "comparisons" not in path:
            return {self._chance.choice(self._pools["attributes"]): self._chance.choice(known)}
        return self._chance.choice(known)

    def _grade(self, path: str) -> Any:
        return self._chance.choice((1, -1) if "labels" in path else ("good", "ok", "junk"))

    def _described(self, name: str) -> Any:
        some = self._pools["images"]
        seen = {"coast": some[:4], "street": some[4:8], "forest": some[8:12]}
        return {
            "described": {"hill": ["natural: street > hill"]},
            "seen": seen,
            "images": self._chance.sample(some, 3),
            "user": self._chance.choice(self._pools["users"]),
            "limit": 5,
        }.get(name)

    def _fitting(self, schema: Any) -> Any:
        """Something of the right type, within its bounds more often than not."""
        if "anyOf" in schema:
            return self._fitting(self._resolved(self._chance.choice(schema["anyOf"])))
        if "default" in schema and self._chance.random() < 0.5:
            return schema["default"]
        kind = schema.get("type")
        if kind in ("integer", "number"):
            low = schema.get("minimum", 0)
            high = min(schema.get("maximum", 50), 200)
            return self._chance.choice([low, high, self._chance.randint(int(low), int(high) + 1)])
        if kind == "boolean":
            return self._chance.random() < 0.5
        if kind == "array":
            return [self._fitting(self._resolved(schema["items"]))]
        if kind == "object":
            return {}
        if kind == "null":
            return None
        return self._chance.choice(["word", "0" * 32, "Ünï"])

    def _judge(self, path: str, method: str, operation: Any, answer: httpx.Response) -> None:
        status = answer.status_code
        self.statuses[status] += 1
        where = f"{method.upper()} {path}"
        if answer.is_success:
            self.answered.add(where)
        if status >= 500:
            self.wrong.append(f"{where}: {status}: {answer.text[:200]}")
        elif str(status) not in operation["responses"] and not self._elsewhere(path, answer):
            self.wrong.append(f"{where}: {status} is not declared: {answer.text[:150]}")
        elif status >= 400 and set(answer.json()) != {"code", "message", "hint"}:
            self.wrong.append(f"{where}: {status} in another shape: {answer.text[:150]}")

    @staticmethod
    def _elsewhere(path: str, answer: httpx.Response) -> bool:
        """Whether the name that was put into an address made it another one."""
        odd = path.count("/") != answer.request.url.path.count("/")
        return "{" in path and (odd or answer.request.url.path.endswith(("/", "/..", "/.")))

    def _learn(self, path: str, address: str, answer: httpx.Response) -> None:
        """What an answer brought into being."""
        if "json" not in answer.headers.get("content-type", ""):
            return
        found = answer.json()
        if isinstance(found, dict) and "page_id" in found:
            self._pools["pages"].append(found["page_id"])
            hits = found.get("hits", ())
            self._within[found["page_id"]] = [hit.get("image_id", hit.get("id")) for hit in hits]
        if isinstance(found, dict) and "job_id" in found:
            self._pools["jobs"].append(found["job_id"])
        if path.endswith("/taught"):
            self._pools["sessions"] += [one["session"] for one in found.get("items", ())]
        if path.endswith("/concepts/{name}"):
            images = [one["image_id"] for one in found["images"]["items"]]
            self._within[unquote(address.rpartition("/")[2])] = images
        if path.endswith("/export") and len(self._exported) < 50:
            self._exported.append(found)


def run(place: Path, count: int, seed: int, going: Callable[[], bool]) -> dict[str, Any]:
    """Ask so many times; what was answered, and what was wrong."""
    worlds.write(place / "pictures", images=24, seed=3, size=(64, 48))
    with Engine(place / "s.saccade") as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp,words,embedding")
        uploads = [path.read_bytes() for path in sorted((place / "pictures").rglob("*.*"))[:5]]
        with (
            running(prepare(engine, port=0)) as address,
            httpx.Client(base_url=address, timeout=120, follow_redirects=False) as client,
        ):
            walk = Walk(client, seed)
            walk.begin(uploads, str(place / "pictures"))
            for number in range(1, count + 1):
                if not going():
                    break
                walk.step()
                if number % 1000 == 0:
                    print(f"{number} of {count}", file=sys.stderr)
            wrong = list(dict.fromkeys(walk.wrong))
        silent = {walk._name(one) for one in walk.operations} - walk.answered
        wrong += [f"{name} never answered 200" for name in sorted(silent)]
        if engine.digest != engine.replay():
            wrong.append("the log replayed gives other models")
        wrong += [f"{f.place}: {f.problem}" for f in engine.library.doctor()]
    return {
        "requests": walk.statuses.total(),
        "operations": len(walk.operations),
        "statuses": {str(status): walk.statuses[status] for status in sorted(walk.statuses)},
        "wrong": wrong,
    }


def main() -> None:
    """Walk, judge, count."""
    parser = figures.parser(__doc__)
    parser.add_argument("--requests", type=int, default=50_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        result = run(Path(scratch), options.requests, options.seed, figures.until(options))
    statuses = ", ".join(f"{number:,} × {status}" for status, number in result["statuses"].items())
    silent = sum("never answered" in line for line in result["wrong"])
    told = (
        f"**{result['requests']:,} requests** to {result['operations']} operations, "
        f"{result['operations'] - silent} of which answered 200: {statuses}."
    )
    figures.finish(options, "requests", result, told)


if __name__ == "__main__":
    main()
