# Everything a person can do here. Each target sets up .venv by itself and needs only
# Python 3.11 or newer: as python3, or named by PYTHON=...

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check install --quiet --quiet

.NOTPARALLEL:
.PHONY: help demo test check bench guard fuzz mutants frameworks clean

help:
	@echo "make demo    show what untorn makes of six streams"
	@echo "make test    run the tests (ARGS=... go to pytest)"
	@echo "make check   lint, formatting and types"
	@echo "make bench   measure the speed"
	@echo "make guard   count instructions, and fail if there are more than accepted"
	@echo "make fuzz    search for input that breaks a promise"
	@echo "make mutants change the core in small ways, and say which changes no test notices"
	@echo "make frameworks  play hard streams to libraries on the openai SDK, and write what became of them"
	@echo "make clean   delete what the others have made (not what make fuzz has found)"

demo: $(VENV)/demo.stamp
	@$(RUN) -m untorn demo

test: $(VENV)/dev.stamp
	$(RUN) -m pytest $(ARGS)

check: $(VENV)/dev.stamp
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	$(RUN) -m basedpyright

bench: $(VENV)/dev.stamp
	$(RUN) -m bench $(ARGS)

guard: $(VENV)/dev.stamp
	$(RUN) -m bench.guard $(ARGS)

fuzz: $(VENV)/dev.stamp
	$(RUN) -m fuzz $(ARGS)

mutants: $(VENV)/dev.stamp
	$(RUN) -m mutation $(ARGS)

frameworks: $(VENV)/dev.stamp
	$(RUN) -m frameworks

clean:
	rm -rf $(VENV) bench/.venv-* frameworks/.venv-* fuzz/.venv-* fuzz/grown mutation/.venv-* .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache dist

# A stamp says that $(VENV) holds what pyproject.toml asks for. When pyproject.toml is newer, all
# is made anew, so that nothing stays that is no longer asked for.

$(VENV)/demo.stamp: pyproject.toml
	$(make_venv)
	@$(PIP) --editable ".[cli]"
	@touch $@

$(VENV)/dev.stamp: pyproject.toml
	$(make_venv)
	@$(PIP) "pip>=25.1"  # the first that knows --group
	@$(PIP) --group dev --editable ".[all]"
	@touch $(VENV)/demo.stamp $@

define make_venv
@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || { \
	echo "untorn needs Python 3.11 or newer, and $(PYTHON) says: $$($(PYTHON) --version 2>&1)"; \
	echo "If another one is installed, name it: make $(MAKECMDGOALS) PYTHON=python3.12"; \
	exit 1; }
@echo "setting up $(VENV), which takes a moment ..."
@$(PYTHON) -m venv --clear $(VENV)
endef
