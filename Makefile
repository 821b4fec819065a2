# The same few verbs on a laptop and in CI. `make help` lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
IMAGES ?=
STORE  ?=
PORT   ?= 8000
WORKERS ?= 2

BENCHMARKS := search service page graph indexing learners words vocabularies choosers covers bags concepts

.DEFAULT_GOAL := help
.PHONY: help setup demo check quick test bench studies docs release clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.dev ## create .venv with everything the package, its tests and its studies need

# What runs Saccade, and no more: `make demo` stops here.
$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Saccade needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV): a minute or two the first time"
	@$(INSTALL) -e .
	@touch $@

# On top of it, what tests and checks, studies, benchmarks, or a release need.
$(VENV)/.dev $(VENV)/.studies $(VENV)/.bench $(VENV)/.release: $(VENV)/.%: $(VENV)/.ready
	@echo "adding saccade[$*] to $(VENV)"
	@$(INSTALL) -e '.[$*]'
	@touch $@

demo: $(VENV)/.ready ## draw a small world (or take IMAGES=folder), index it and serve it on 127.0.0.1:8000
	@$(BIN)/saccade demo --port $(PORT) $(if $(IMAGES),--images "$(IMAGES)") $(if $(STORE),--into "$(STORE)")

check: setup ## formatting, lint, types, layers
	@$(BIN)/ruff format --check src tests benchmarks
	@$(BIN)/ruff check src tests benchmarks
	@$(BIN)/mypy
	@$(BIN)/lint-imports

quick: setup ## a minute for whoever changed a line: lint, the tests of what changed, a smoke through the loop
	@$(BIN)/ruff format --check src tests benchmarks
	@$(BIN)/ruff check src tests benchmarks
	@$(BIN)/python tools/quick.py

test: setup $(VENV)/.browser $(VENV)/.generated ## every test, the page in a real browser included
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

$(VENV)/.browser: $(VENV)/.dev
	@$(BIN)/python tests/e2e/browser.py
	@touch $@

# Where Node is, the client that others generate for the web is built and used, too; no other test needs it.
GENERATED := tests/service/generated
$(VENV)/.generated: $(VENV)/.dev $(GENERATED)/package.json
	@if ! command -v npm >/dev/null; then echo "no npm: the generated client for the web is not tried"; \
	elif npm install --prefix $(GENERATED) --no-package-lock --no-audit --no-fund --fetch-retries=0 --loglevel=error; then touch $@; \
	else echo "npm could not fetch $(GENERATED)/package.json: the generated client for the web is not tried"; fi

bench: $(VENV)/.bench ## the benchmarks that need no data, each against a peer or the machine's floor
	@for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

studies: $(VENV)/.studies ## every study on drawn pictures, two minutes each; OUT=folder, DATA="name=folder …" for real ones
	@$(BIN)/saccade study all $(if $(DATA),$(foreach set,$(DATA),--data $(set)),--quick) --out $(or $(OUT),saccade-studies)

docs: setup ## build the site into site/, look at every link in it, run what the pages show
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@$(BIN)/python docs/site_check.py site
	@$(BIN)/python -m pytest -q tests/meta

release: $(VENV)/.release ## build wheel and source archive into dist/, try the wheel by itself, write its notes; DATE=2026-12-01 dates it
	@$(BIN)/python tools/release/make.py $(foreach one,$(PYTHONS),--python $(one)) $(if $(DATE),--date $(DATE))

clean: ## remove what make created here
	@rm -rf $(VENV) $(GENERATED)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist site
