# Everything a person types. Each target is idempotent; the second run of any of them is quick.
PYTHON ?= python3
TORCH := torch==2.13.0+cpu
# PyTorch's own index of CPU wheels; asked only when no index or wheel folder of this machine offers the pin.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
UV := uv==0.13.9
PYTEST_ARGS ?=
PORT ?= 3000
# One more than two cores: much of a test is waiting, for a server, a daemon or a process that is to end.
WORKERS ?= 3
# Hundreds of processes import Dagster, TRL or vLLM; without compiled files at hand each would compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-full demo-train test ui pictures check bench lock clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: .venv/.ready .venv-serve/.ready ## Make .venv (orchestrator, training, tests) and .venv-serve (model server)

demo: setup ## Run TMAS on 8 generated problems with a real model on this CPU, then print its scores
	@.venv/bin/tmas run demo

demo-full: setup ## Run every strategy on the same problems (about half an hour on two cores), then print the leaderboard
	@.venv/bin/tmas run demo_strategies
	@.venv/bin/tmas leaderboard

demo-train: setup ## Data, SFT, GRPO (vanilla and hybrid), checkpoints served and scored (34 minutes on two cores), then the leaderboard
	@.venv/bin/tmas build-data cold_start_small
	@.venv/bin/tmas train demo_sft
	@.venv/bin/tmas train demo_vanilla
	@.venv/bin/tmas train demo_grpo
	@.venv/bin/tmas run demo_training
	@.venv/bin/tmas leaderboard
	@.venv/bin/tmas trainings --compare

test: .venv/.ready ## Lint, types and all tests, the real model server included
	@$(MAKE) --no-print-directory -j 2 check setup
	@tests/services.sh
	@.venv/bin/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder $(PYTEST_ARGS)

ui: setup ## Open the Dagster UI at http://127.0.0.1:3000, or PORT=...
	@.venv/bin/tmas ui --port $(PORT)

pictures: setup ## Make the README's pictures again (needs chromium and chromedriver)
	@.venv/bin/python docs/pictures/make.py

check: .venv/.ready ## Lint and types only
	@.venv/bin/ruff check .
	@.venv/bin/mypy

bench: setup ## Measure speed, memory and resumption; each line is a ratio within one run
	@for each in bench/[a-z]*.py; do .venv/bin/python -m "bench.$$(basename $$each .py)" || exit 1; done

lock: .venv/.ready ## Resolve the requirement files again from their .in files
	@.venv/bin/uv pip compile --quiet --python-version 3.11 --no-emit-index-url --no-emit-find-links --no-annotate \
		--no-header $(LOCK_ARGS) requirements/orchestrator.in -o requirements/orchestrator.txt
	@.venv/bin/uv pip compile --quiet --python-version 3.11 --no-emit-index-url --no-emit-find-links --no-annotate \
		--no-header $(LOCK_ARGS) --overrides requirements/serve-overrides.txt requirements/serve.in -o requirements/serve.txt
	@for each in deploy deploy-tests; do .venv/bin/uv pip compile --quiet --python-version 3.11 --no-emit-index-url --no-emit-find-links \
		--no-annotate --no-header $(LOCK_ARGS) requirements/$$each.in -o requirements/$$each.txt || exit 1; done

clean: ## Remove both environments (models and results stay under TMAS_HOME)
	rm -rf .venv .venv-serve

# An environment: torch first and without dependencies, since its CPU build has an index of its own; then the pins.
# Half-made environments are harmless: the mark is written last and every step repeats.
define environment
	@echo "installing $(1) ..."
	@test -x $(1)/bin/pip || $(PYTHON) -m venv --clear $(1)
	@$(1)/bin/pip install --quiet --disable-pip-version-check $(UV)
	@$(1)/bin/pip install --quiet --disable-pip-version-check --no-deps $(TORCH) 2>/dev/null || \
		$(1)/bin/pip install --quiet --disable-pip-version-check --no-deps --index-url $(TORCH_INDEX) $(TORCH)
	@$(1)/bin/uv pip install --quiet --python $(1)/bin/python $(2)
endef

.venv/.ready: requirements/orchestrator.txt pyproject.toml
	$(call environment,.venv,--requirements requirements/orchestrator.txt)
	@.venv/bin/uv pip install --quiet --python .venv/bin/python --no-deps --editable .
	@touch $@

.venv-serve/.ready: requirements/serve.txt requirements/serve-overrides.txt
	$(call environment,.venv-serve,--requirements requirements/serve.txt --overrides requirements/serve-overrides.txt)
	@touch $@
