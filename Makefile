# The demo game and the checks. `make play` needs Python 3.11 or newer and nothing else.

VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

# The first interpreter that is new enough and can make virtual environments.
USABLE := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(firstword $(foreach name,python3.12 python3.13 python3.11 python3 python,\
	$(shell $(name) -c '$(USABLE)' >/dev/null 2>&1 && echo $(name))))

# Faults are planned by the thousand and have a target of their own.
BENCHMARKS = $(filter-out _% faults,$(basename $(notdir $(wildcard benchmarks/*.py))))

.PHONY: help play stop forget test check bench faults clean environment dev-environment

help:
	@echo "make play    start the demo game, watch a short visit, and join in"
	@echo "make stop    stop the demo game"
	@echo "make forget  stop it, and throw its database away"
	@echo "make test    all checks and all tests"
	@echo "make check   style, formatting and types"
	@echo "make bench   all benchmarks"
	@echo "make faults  kills by the thousand, two writers at a time (hours)"
	@echo "make clean   remove the environment and what the tools left"

play: environment
	@$(BIN)/python -m world.play

stop:
	@[ ! -x $(BIN)/python ] || $(BIN)/python -m world.play stop

forget: stop
	rm -rf server/evennia.db3* server/assistant server/logs

check: dev-environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadgroup $(PYTEST_ARGS)

bench: environment
	@for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python -m benchmarks.$$name --json || exit 1; done

faults: dev-environment
	FAULTS=all $(BIN)/python -m pytest -q tests/faults tests/asleep/test_cycle.py
	$(BIN)/python -m benchmarks.faults --kills 12000 --real 300 --json

clean: stop
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp says what is installed; an environment whose Evennia cannot be imported is made anew.
environment: repair $(VENV)/.installed
dev-environment: repair $(VENV)/.installed-dev

.PHONY: repair
repair:
	@[ ! -e $(VENV) ] || $(BIN)/python -c 'import evennia, openai, pip, twisted' >/dev/null 2>&1 || rm -rf $(VENV)

$(BIN)/python:
	@[ -n "$(PYTHON)" ] || { echo "No Python 3.11 or newer with venv was found. Install one (on Debian:" \
		"apt-get install python3 python3-venv), or name it: make PYTHON=/path/to/python3 play"; exit 1; }
	@$(PYTHON) -c '$(USABLE)' || { echo "$(PYTHON) is older than 3.11, or has no venv."; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing the game and what it needs (about two minutes, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "Installing the game, what it needs, and the tools for its tests ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(VENV)/.installed
