# Two commands do everything: `make demo` and `make test`. Both make the environment that they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUITE := embedded
export PIP_DISABLE_PIP_VERSION_CHECK := 1

AGENTS := claude-code codex mini-swe-agent
FUZZ := wire rows tasks patch images
FUZZ_SECONDS := 900

PYTEST := HONESTLY_INSTALL_AGENTS="$(AGENTS)" $(BIN)/pytest
# A process for each core and one more, since tests wait for sandboxes, as far as four; a file's tests stay together,
# since they share what is slow to make.
PARALLEL := --numprocesses $$(($$(nproc) + 1)) --maxprocesses 4 --dist loadfile --no-loadscope-reorder

QUICK := -m "not slow" --hypothesis-profile quick -o faulthandler_timeout=300

.PHONY: demo improve-demo test test-all test-lot lots static lint types contract unit unit-all newest coverage test-agents test-live tasks-check mutants fuzz docs release clean

# `make demo SAMPLES=1` takes half of the time, and knows less; `honestly demo --all` takes the whole suite.
demo: $(VENV)/.core
	$(BIN)/honestly demo $(if $(SAMPLES),-k $(SAMPLES))
	@echo 'to use it in this shell: export PATH="$(CURDIR)/$(BIN):$$PATH"' >&2

# A loop that improves a small training script, and the page that proves it: two minutes. Given again, it goes on.
improve-demo: $(VENV)/.core
	$(BIN)/honestly improve run honestly-demo-improve --new curve --agent searcher --budget "6 attempts" --seed 1
	$(BIN)/honestly improve prove honestly-demo-improve

# The gate. What only reads the code runs beside the tests; the first failure of either fails the gate.
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs 2 static unit

# Every night, and before a release: the tests marked slow too, and the newest Python.
test-all: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs 2 static unit-all
	@$(MAKE) --no-print-directory newest

static: lint contract types

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

contract: $(VENV)/.dev
	$(BIN)/lint-imports

# Each process reads all the test files, and to rewrite their asserts takes as long again; so what failed runs once more.
unit: $(VENV)/.dev
	$(PYTEST) $(PARALLEL) $(QUICK) --assert=plain || { $(PYTEST) $(QUICK) --last-failed --last-failed-no-failures none; false; }

unit-all: $(VENV)/.dev
	$(PYTEST) $(PARALLEL)

# The slow tests in lots, one for each folder of tests; `.lots` keeps what ran when, at which commit, and `make lots` shows it.
test-lot: $(VENV)/.dev
	@test -d tests/$(or $(LOT),-) || { echo 'give LOT=..., one of:'; $(MAKE) --no-print-directory lots; exit 2; }
	@start=$$(date +%s); $(PYTEST) $(PARALLEL) -m slow -rs tests/$(LOT); code=$$?; \
	commit=$$(git rev-parse --short HEAD)$$(git diff --quiet HEAD || echo +); \
	echo "$(LOT) $$(date -u +%FT%TZ) $$commit exit $$code, $$(($$(date +%s) - start)) s" >> .lots; exit $$code

lots:
	@for lot in $$(ls -d tests/*/ | cut -d/ -f2 | grep -v __); do grep "^$$lot " .lots 2>/dev/null | tail -1 | grep . || echo "$$lot never"; done

# The newest interpreter of this machine: what a user installs, and the tests of the rooms that no sandbox slows down.
SMOKE := tests/stats/test_scores.py tests/stats/test_passk.py tests/stats/test_intervals.py tests/stats/test_special.py \
	tests/records tests/store tests/formats/test_patch.py tests/tools/test_edit.py tests/tasks/test_load.py
newest: $(VENV)-newest/.smoke
	$(VENV)-newest/bin/python -m pytest -m "not slow" $(SMOKE)

# Other people's agents, really run: installs them once, more than a gigabyte, into the user's cache (HONESTLY_AGENTS).
test-agents: $(VENV)/.dev
	HONESTLY_INSTALL_AGENTS="$(AGENTS) gemini opencode openhands claude-agent-acp codex-acp" $(BIN)/pytest -rs tests/agents/test_external_programs.py

coverage: $(VENV)/.dev
	$(BIN)/coverage erase
	$(BIN)/pytest --cov --cov-report=term:skip-covered

# Our client against a server that we did not write; the first time, it compiles one for some minutes.
test-live: $(VENV)/.core
	tests/live/run $(CURDIR)/$(BIN)/python $(VENV)/live

tasks-check: $(VENV)/.core
	$(BIN)/honestly task check $(SUITE)

# How much the hidden checks of a suite see: minutes.
mutants: $(VENV)/.core
	$(BIN)/honestly task check $(SUITE) --mutants

# Every night: each target for a quarter of an hour. `make test` runs the same targets for some seconds.
fuzz: $(VENV)/.fuzz
	set -e; for target in $(FUZZ); do $(BIN)/python fuzz/run.py $$target -max_total_time=$(FUZZ_SECONDS); done

# The documentation as a site in site/, with search; its pages load nothing from elsewhere.
docs: $(VENV)-docs/.docs
	$(BIN)/python docs/commands.py
	$(BIN)/python docs/api.py
	NO_MKDOCS_2_WARNING=1 $(VENV)-docs/bin/mkdocs build --quiet

# The wheel, built, checked, and tried in an empty environment; it ends with the line that tags the version.
release: $(VENV)/.core
	packaging/release.sh dist

# The environment: first what a user gets, then what developers need beside it.
$(VENV)/.core: constraints/core.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r constraints/core.txt
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# pip compiles on one core, this on all; a minus, since some packages ship templates that are no Python. Ours is compiled
# too: where PYTHONDONTWRITEBYTECODE is set, each process would do it again.
$(VENV)/.dev: constraints/dev.txt $(VENV)/.core
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --require-hashes -r constraints/dev.txt
	-$(BIN)/python -m compileall -qq -j 0 -x '/tests/' $(VENV)/lib src
	touch $@

NEWEST ?= $(shell .ci/newest)
$(VENV)-newest/.smoke: constraints/smoke.txt pyproject.toml
	$(NEWEST) -m venv --clear $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install --quiet --no-compile --no-deps --require-hashes -r constraints/smoke.txt
	PATH="$(CURDIR)/$(VENV)-newest/bin:$$PATH" $(VENV)-newest/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)-docs/.docs: constraints/docs.txt $(VENV)/.core
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip install --quiet --no-deps --require-hashes -r constraints/docs.txt
	touch $@

$(VENV)/.fuzz: constraints/fuzz.txt $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r constraints/fuzz.txt
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-newest $(VENV)-docs site .coverage .mypy_cache .ruff_cache .hypothesis honestly-demo*
