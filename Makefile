# make setup   a virtual environment with exact versions       make demo   one experiment, end to end, without a key
# make test    every check that CI runs                        make help   all targets

PYTHON ?= python3
PIP_FLAGS ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.regrasp-installed
SOURCES := agent tools prompts sim store tests

DEMO := Push the puck 10 cm with one finger. Friction is 0.5 to 1.2, the servo delay was measured at 11 ms.

.PHONY: help setup demo test lint type check pytest format clean
.DEFAULT_GOAL := help

help:
	@echo "make setup    make $(VENV) with the versions of constraints.txt (PYTHON=python3.12 chooses another Python)"
	@echo "make demo     run one experiment end to end on the twin; needs no key"
	@echo "make test     every check that CI runs: lint, types, tests"
	@echo "make lint | type | pytest    one of them;   make check    lint and types"
	@echo "make format   sort imports, mend what ruff can mend, format"
	@echo "make clean    remove caches; runs/ and $(VENV)/ stay"

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) is not here; install Python 3.11 or newer, or: make setup PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: $$($(PYTHON) --version) is too old; Regrasp needs 3.11 or newer: make setup PYTHON=python3.11" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "error: $(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: sudo apt-get install -y python3-venv" >&2; exit 2; }
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt torch
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt -e '.[dev]'
	@touch $@
	@if [ "$$(uname)" = Linux ] && ! ldconfig -p 2>/dev/null | grep -qE 'libEGL\.so\.1|libOSMesa\.so'; then \
	  echo "note: no OpenGL library, so there will be no pictures; training needs none. Mend: sudo apt-get install -y libegl1 libgl1 (or libosmesa6)"; fi

demo: setup
	$(BIN)/regrasp run "$(DEMO)" --approve twin

test: check pytest

check: lint type

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: setup
	$(BIN)/pyright

# the tests of the house measure the speed of --help, so they run alone
pytest: setup
	$(BIN)/pytest tests/unit/test_imports.py
	$(BIN)/pytest -n 2 --ignore tests/unit/test_imports.py

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .hypothesis MUJOCO_LOG.TXT
	find $(SOURCES) -type d -name __pycache__ -prune -exec rm -rf {} +
