# `make demo` and `make test` do their own set-up. Nothing here asks for root.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PY := .venv/bin/python
PYTHON ?=
JOBS ?= 4
CODE := src tests dev $(wildcard demo bench)
# One pass of the real Claude CLI for each editor; the others take minutes, and run one by one.
FIRST := tests/e2e/test_first.py

.PHONY: help setup demo test rest e2e again lint format unit words pictures bench stress clean distclean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | while IFS='	' read -r name text; do \
		printf 'make %-10s %s\n' "$$name" "$$text"; done

setup: ## .venv with .venv/bin/vim-mcp and all that the tests need
	@dev/setup $(PYTHON)

demo: setup ## see an assistant read and drive a real editor, step by step
	@$(PY) demo/demo.py

test: lint ## every check, and all the tests that take little time
	$(PY) -m pytest -n $(JOBS) --dist worksteal --part quick tests/unit tests/editor tests/hub tests/outside $(FIRST)

rest: setup ## what `make test` leaves out: slow tests, those of the oldest Neovim, further cases of tests with many
	$(PY) -m pytest -n $(JOBS) --dist worksteal --part rest tests/unit tests/editor tests/hub tests/outside

e2e: setup ## the real Claude CLI with real editors, cut off from the network: minutes
	@$(PY) -m tests.support.claude
	dev/offline $(PY) -m pytest --editors vim,nvim --durations 5 tests/e2e

again: setup ## the tests that failed last, one after the other
	$(PY) -m pytest --last-failed --last-failed-no-failures none tests

unit: setup ## the pure tests alone: seconds
	$(PY) -m pytest tests/unit

lint: setup ## ruff, its formatter, mypy --strict, and who imports whom
	$(PY) -m ruff check $(CODE)
	$(PY) -m ruff format --check $(CODE)
	$(PY) -m mypy --strict $(CODE)
	$(PY) dev/imports.py

format: setup ## let ruff format the Python code
	$(PY) -m ruff format $(CODE)

words: setup ## write again what documents take from the code: tables, references
	$(PY) -m dev.help
	$(PY) -m dev.tables
	$(PY) -m dev.protocol

pictures: setup ## take README's pictures again, from real editors
	$(PY) -m dev.screenshots

bench: setup ## measure, as ratios against floors of the same run
	$(PY) -m bench

stress: setup ## T="tests/…": 20 times in a row, then 20 times with a core busy
	@test -n "$(T)" || { echo 'make stress T="tests/editor/test_link.py::test_name"'; exit 2; }
	$(PY) dev/stress.py $(T)

clean: ## remove caches and built packages
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests dev -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove .venv and downloaded npm packages too
	rm -rf .venv .cache
