# The front door. Each target is a line or two: the work is in scripts/, CMakePresets.json and tests/tools/.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup build demo test test-unit test-tools test-docs test-scenarios test-browser test-python install deb bench bench-programs wheel format check-format layers \
        debug alone asan tsan fuzz clean

python := .venv/bin/python
FUZZ_SECONDS ?= 30
PREFIX ?= /usr/local
sources = $(shell find src tests bench -name '*.h' -o -name '*.cc')

help:  ## this list
	@printf 'Pentimento: publish tables about people again and again, and stay private.\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:
	@scripts/setup

build: setup  ## build the command build/pentimento, installing first what is missing
	@scripts/build release pentimento
	@ln -sfn release/pentimento build/pentimento

demo: build  ## see it at work on built-in data
	@build/pentimento demo

test: build test-unit test-tools test-docs test-scenarios test-browser test-python  ## build, then run every test

test-unit: build  ## unit and property tests
	@scripts/build release
	@ctest --preset release

test-tools: build  ## the tests' own tools
	@$(python) -m unittest discover --quiet --start-directory tests/tools --pattern '*_test.py'

test-docs: build  ## the code blocks of README.md and docs/guide/
	@$(python) tests/tools/run_docs.py

test-scenarios: build  ## text files that drive the command, tests/scenarios/
	@$(python) tests/tools/run_scenarios.py

test-browser: build  ## the pages of `pentimento report` in a real browser
	@scripts/setup --browser
	@node tests/browser/report_test.mjs

bench:  ## measure every flow and hold it to its bars; BENCH_ARGS=--quick: 1 M rows, once (bench/README.md)
	@scripts/bench $(BENCH_ARGS)

bench-programs: build  ## build the measurements of single parts, into build/release/bench
	@cmake -B build/release -DPENTIMENTO_BENCH=ON >build/configure.log || { cat build/configure.log >&2; exit 1; }
	@scripts/build release bench/all

wheel:  ## build dist/pentimento-*.whl, the Python library with the command (docs/packaging.md)
	@scripts/setup --wheel
	@scripts/wheel

install:  ## install the command, man pages and completions into PREFIX=/usr/local
	@scripts/setup
	@scripts/install --prefix "$(PREFIX)"

deb:  ## build dist/pentimento_*.deb
	@scripts/setup
	@scripts/install --deb

test-python: wheel  ## the Python library, from the wheel, in environments of its own
	@scripts/test-python

format: setup  ## put all C++ into house style
	@clang-format -i $(sources)

check-format: setup  ## fail where the C++ is not in house style
	@clang-format --dry-run --Werror $(sources)

layers:  ## fail where an include goes up, sideways or in a circle, two types share a name, or a map of the code is wrong
	@scripts/check_layers
	@scripts/check_docs_paths

debug: setup  ## build for the debugger, into build/debug
	@scripts/build debug

alone: setup  ## every file of the program by itself, by clang, warnings are errors; then the scenarios with that build
	@scripts/setup --checks
	@scripts/build alone pentimento bench/all
	@echo "test programs are compiled together only, by g++; each file of them by itself: scripts/build alone"
	@$(python) tests/tools/run_scenarios.py --command build/alone/pentimento

asan: setup  ## unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup --checks
	@scripts/build asan test_programs
	@ctest --preset asan

tsan: setup  ## unit tests of what has threads, and releases of every kind, under ThreadSanitizer
	@scripts/build tsan test_programs pentimento
	@ctest --preset tsan
	@echo "left out: programs of folders without threads (cmake/Folder.cmake), and $$(grep -vc '^#' tests/tools/tsan_left_out.txt) slow tests (tests/tools/tsan_left_out.txt)"
	@$(python) tests/tools/tsan_releases.py

fuzz: build  ## the fuzzers of tests/fuzz, FUZZ_SECONDS=30 each, two at a time
	@scripts/setup --checks
	@scripts/build asan fuzzers
	@$(python) tests/fuzz/run.py --seconds $(FUZZ_SECONDS)

clean:  ## remove what was built; .venv stays
	@rm -rf build
