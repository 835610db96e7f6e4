# The habits of the house. `make` alone shows a search; `make test` proves the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo setup check fix test slow bench clean

demo: $(READY)
	$(BIN)/packhound search "apply an edit to a text buffer" --root server --limit 3 --show-scores

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,mcp]"
	touch $@

check: $(READY)
	$(BIN)/ruff format --check server tests benchmarks training
	$(BIN)/ruff check server tests benchmarks training
	$(BIN)/mypy

fix: $(READY)
	$(BIN)/ruff format server tests benchmarks training
	$(BIN)/ruff check --fix server tests benchmarks training

test: $(READY)
	$(BIN)/pytest -n auto -m "not slow and not editors"

slow: $(READY)
	$(BIN)/pytest -m "slow or editors"

bench: $(READY)
	$(BIN)/python -m benchmarks.speed

clean:
	rm -rf $(VENV) .cache
