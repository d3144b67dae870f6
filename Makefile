# Everything a person types. Each target is idempotent; the second run of any of them is quick.
PYTHON ?= python3
TORCH := torch==2.13.0+cpu
# PyTorch's own index of CPU wheels; asked only when no index or wheel folder of this machine offers the pin.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

.DEFAULT_GOAL := help
.PHONY: help setup demo test ui check bench lock clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

# One environment: torch without dependencies first (its CPU build has its own index), then the pinned rest.
define environment
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@$(1)/bin/pip install --quiet --disable-pip-version-check uv==0.13.9
	@$(1)/bin/pip install --quiet --no-deps $(TORCH) 2>/dev/null || \
		$(1)/bin/pip install --quiet --no-deps --index-url $(TORCH_INDEX) $(TORCH)
	@$(1)/bin/uv pip install --quiet --python $(1)/bin/python $(2)
	@touch $@
endef

.venv/.ready: requirements/orchestrator.txt pyproject.toml
	$(call environment,.venv,-r requirements/orchestrator.txt)
	@.venv/bin/uv pip install --quiet --python .venv/bin/python --no-deps --editable .
	@touch $@

.venv-serve/.ready: requirements/serve.txt requirements/serve-overrides.txt
	$(call environment,.venv-serve,-r requirements/serve.txt --override requirements/serve-overrides.txt)

setup: .venv/.ready .venv-serve/.ready ## Make .venv (orchestrator, training, tests) and .venv-serve (model server)
