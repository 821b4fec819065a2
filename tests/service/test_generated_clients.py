"""Clients that others generate from /openapi.json, built and used: one for Python, one for the web.

The second needs Node and packages of its registry, which `make test` fetches where there is npm
(`npm install` in `tests/service/generated`); nothing is fetched by a test.
"""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from servers import PATIENCE

PAGE = Path(__file__).parents[2] / "docs" / "http.md"
NODE = Path(__file__).parent / "generated"


@pytest.fixture(scope="module")
def document(address, tmp_path_factory):
    """The description that the server gives."""
    file = tmp_path_factory.mktemp("described") / "openapi.json"
    file.write_bytes(httpx.get(f"{address}/openapi.json", timeout=PATIENCE).content)
    return file


@pytest.fixture(scope="module")
def generated(document, tmp_path_factory):
    """A Python package made by openapi-python-client, with the settings that the docs give."""
    pytest.importorskip("openapi_python_client", reason="pip install openapi-python-client")
    place = tmp_path_factory.mktemp("generated")
    (settings,) = re.findall(r"```yaml\n(content_type_overrides.*?)```", PAGE.read_text(), re.S)
    (place / "settings.yml").write_text(settings)
    command = [
        sys.executable, "-m", "openapi_python_client", "generate", "--path", document,
        "--config", place / "settings.yml", "--meta", "none",
        "--output-path", place / "saccade_generated",
    ]  # fmt: skip
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(place))
        yield made.stdout + made.stderr


def part(name: str):
    return importlib.import_module(f"saccade_generated.{name}")


def test_every_operation_is_in_the_python_client(generated, document):
    """Nothing is left out for a schema that a generator cannot read."""
    assert "will not be generated" not in generated
    assert "WARNING" not in generated
    operations = [
        operation["operationId"]
        for methods in json.loads(document.read_text())["paths"].values()
        for operation in methods.values()
    ]
    place = Path(part("client").__file__).parent / "api"
    made = {file.stem.replace("_", "") for file in place.glob("*/*.py")}
    assert {name.lower() for name in operations} <= made


def test_the_python_client_searches_marks_and_reranks(generated, address, engine, ids):
    """Typed, both ways; an error is the problem that it is."""
    models, search = part("models"), part("api.search.search").sync
    wanted = models.SearchRequest(image_id=ids[0], user="gen", k=9)
    with part("client").Client(base_url=address) as client:
        page = search(client=client, body=wanted)
        assert isinstance(page, models.Page)
        liked = page.hits[3].image_id
        body = models.FeedbackRequest(page_id=page.page_id, liked=[liked])
        again = part("api.feedback.mark_page").sync(client=client, body=body)
        assert (again.liked, again.round_) == ([liked], 1)
        wanted.where = models.Where(folder=Path(engine.image(ids[0]).paths[0]).parent.name)
        assert 0 < len(search(client=client, body=wanted).hits) < 9
        refused = search(client=client, body=models.SearchRequest(image_id="ab" * 16))
        assert (refused.code, bool(refused.hint)) == ("not-found", True)
        features = models.CandidateBodyFeatures.from_dict({"price": 3})
        names = ["gen-1", "gen-2"]  # of which no other test says anything
        candidates = [models.CandidateBody(id=name, features=features) for name in names]
        body = models.RerankRequest(candidates=candidates, user="gen")
        ranked = part("api.candidates.rerank").sync(client=client, body=body)
        assert [hit.id for hit in ranked.hits] == names
        events = part("types").File(payload=b'{"event": "clicked", "page": "p", "id": "a"}\n')
        told = part("api.feedback.send_events").sync(client=client, body=events)
        assert (told.taken, told.waiting) == (1, 1)


PROGRAM = """
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [address, image] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl: address });
const asked: components["schemas"]["SearchRequest"] = { image_id: image, user: "web", k: 9 };
const found = await client.POST("/api/v1/search", { body: asked });
if (!found.data) throw new Error(found.error.message);
const liked: string = found.data.hits[3]!.image_id;
const body = { page_id: found.data.page_id, liked: [liked], disliked: [], cleared: [] };
const marked = await client.POST("/api/v1/feedback", { body });
if (!marked.data || !("liked" in marked.data)) throw new Error("not marked");
console.log(JSON.stringify({ liked, told: marked.data.liked, round: marked.data.round }));
"""


def test_the_typescript_client_searches_and_marks(document, address, ids, tmp_path):
    """Its types are checked strictly, and what they promise comes."""
    node, packages = shutil.which("node"), NODE / "node_modules"
    if node is None or not (packages / "openapi-typescript").is_dir():
        pytest.skip("needs node, and `npm install` in tests/service/generated")
    (tmp_path / "node_modules").symlink_to(packages)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "use.ts").write_text(PROGRAM)
    make = [node, packages / "openapi-typescript" / "bin" / "cli.js", document]
    make += ["--default-non-nullable", "false", "-o", "schema.d.ts"]
    subprocess.run(make, cwd=tmp_path, check=True, capture_output=True)
    strict = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"]
    check = [node, packages / "typescript" / "bin" / "tsc", *strict, "use.ts"]
    checked = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    use = [node, "use.js", address, ids[0]]
    said = subprocess.run(use, cwd=tmp_path, capture_output=True, text=True, check=True)
    told = json.loads(said.stdout)
    assert (told["told"], told["round"]) == ([told["liked"]], 1)
