# The same few verbs on a laptop and in CI. `make help` lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
IMAGES ?=
STORE  ?=
PORT   ?= 8000

BENCHMARKS := search service graph indexing learners words vocabularies choosers covers bags concepts

.DEFAULT_GOAL := help
.PHONY: help setup demo check test bench studies docs clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.ready ## create .venv with everything the package and its tests need

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Saccade needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV): a minute or two the first time"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: setup ## draw a small world (or take IMAGES=folder), index it and serve it on 127.0.0.1:8000
	@$(BIN)/saccade demo --port $(PORT) $(if $(IMAGES),--images "$(IMAGES)") $(if $(STORE),--into "$(STORE)")

check: setup ## formatting, lint, types, layers
	@$(BIN)/ruff format --check src tests benchmarks
	@$(BIN)/ruff check src tests benchmarks
	@$(BIN)/mypy
	@$(BIN)/lint-imports

test: setup $(VENV)/.browser ## every test, the page in a real browser included
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

$(VENV)/.browser: $(VENV)/.ready
	@$(BIN)/python tests/e2e/browser.py
	@touch $@

bench: setup ## the benchmarks that need no data, each against a peer or the machine's floor
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

studies: setup ## every study on drawn pictures, two minutes each; OUT=folder, DATA="name=folder …" for real ones
	@$(BIN)/saccade study all $(if $(DATA),$(foreach set,$(DATA),--data $(set)),--quick) --out $(or $(OUT),saccade-studies)

docs: setup ## check that the pages, their links and the commands they name are true
	@$(BIN)/python -m pytest -q tests/meta

clean: ## remove what make created here
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
