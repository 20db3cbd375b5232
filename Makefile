# D-SMART web. `make run` is all that a person needs; the other targets are for those who change it.

SHELL := /bin/bash
HOST ?= 127.0.0.1
PORT ?= 8080
VENV := .venv
BIN := $(VENV)/bin
CODE := dsmart_web memory conversations evaluation tests manage.py

.PHONY: run setup setup-dev lock test test-long e2e e2e-team check lint types imports migrations deploy longest bench clean

run: setup
	@exec $(BIN)/python manage.py serve --host $(HOST) --port $(PORT)

# torch comes last and without hashes: which build of it is right depends on the machine (docs/deployment.md).
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
LOCKED := $(PIP) --require-hashes --no-deps
TORCH = $$(grep -m1 '^torch==' requirements.txt)

setup: $(BIN)/python
	@cat requirements.txt requirements.lock | cmp -s - $(VENV)/installed.txt || { \
	  echo "Installing what the product needs (about 2 GB, a few minutes, once)"; \
	  $(LOCKED) -r requirements.lock && $(PIP) "$(TORCH)" \
	  && cat requirements.txt requirements.lock > $(VENV)/installed.txt; }
	@cmp -s package-lock.json static/vendor/.package-lock.json || $(BIN)/python -m dsmart_web.embedded.front_end

setup-dev: setup
	@cmp -s requirements-dev.lock $(VENV)/installed-dev.txt || { \
	  $(LOCKED) -r requirements-dev.lock && cp requirements-dev.lock $(VENV)/installed-dev.txt; }

# Writes both locks anew, after a change to requirements.txt or requirements-dev.txt.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
  --overrides .ci/without-torch.txt --no-emit-package torch --custom-compile-command "make lock"

lock: setup-dev
	@$(LOCK) requirements.txt --output-file requirements.lock
	@$(LOCK) requirements-dev.txt --constraints requirements.lock --output-file requirements-dev.lock

$(BIN)/python:
	@for candidate in $(PYTHON) python3.11 python3.12 python3.13 python3; do \
	  command -v $$candidate >/dev/null 2>&1 || continue; \
	  $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  rm -rf $(VENV); \
	  $$candidate -m venv $(VENV) && exit 0; \
	  rm -rf $(VENV); \
	  echo "$$candidate cannot make a virtual environment. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; \
	done; \
	echo "Python 3.11 or newer is needed and was not found. Install it, or name it: make run PYTHON=/path/to/python3" >&2; exit 1

# Test files at once. Each worker has a database of its own on the one server.
WORKERS ?= auto

test: setup-dev
	@$(BIN)/pytest -m "not e2e" -n $(WORKERS) --maxprocesses 8 $(ARGS)

# The same tests, with five times as many examples wherever hypothesis searches.
test-long: setup-dev
	@$(BIN)/pytest -m "not e2e" -n $(WORKERS) --maxprocesses 8 --hypothesis-profile long $(ARGS)

# Browsers at once, each with a product of its own; 0 is one after the other, which two cores are enough for.
BROWSERS ?= 0

e2e: setup-dev
	@DJANGO_ALLOW_ASYNC_UNSAFE=true $(BIN)/pytest -m e2e -n $(BROWSERS) $(ARGS)

# The same tests with a PostgreSQL, a Redis and a worker as processes of their own.
e2e-team: setup-dev
	@DJANGO_ALLOW_ASYNC_UNSAFE=true $(BIN)/python -m tests.e2e.team_servers $(BIN)/pytest -m e2e -n $(BROWSERS) $(ARGS)

check: lint types imports migrations deploy longest

lint: setup-dev
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/ruff format --check $(CODE)

types: setup-dev
	@$(BIN)/mypy

imports: setup-dev
	@$(BIN)/lint-imports
	@$(BIN)/pytest -q tests/unit/test_house.py

migrations: setup-dev
	@DSMART_HOME=var/check $(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

deploy: setup-dev
	@DSMART_HOME=var/check DSMART_HTTPS=1 $(BIN)/python manage.py check --deploy --fail-level WARNING

# A list to look at, never a failure: a limit of lines would split one idea over several files.
longest:
	@echo "The longest modules, should one of them hold two ideas:"
	@find dsmart_web memory conversations evaluation -name '*.py' -not -path '*/migrations/*' -exec wc -l {} + \
	  | sort -rn | grep -v ' total$$' | head -n 10

bench: setup
	@$(BIN)/python manage.py bench $(NAME) $(ARGS)

clean:
	rm -rf $(VENV) var artifacts static/vendor .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
