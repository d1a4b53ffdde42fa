# Everything a person or CI types. The packages come from packages.txt, the flags from CMakePresets.json.

PORT ?= 8931
ARGS ?=
SINCE ?= HEAD
JOBS ?= $(shell nproc)

packages = @scripts/install-packages.sh
npm = @scripts/install-npm.sh
# A machine that only runs the server has no test packages, so its first configuration leaves tests out.
configure = @[ -e build/$(1)/build.ninja ] || cmake --preset $(1) -D TROUPE_TESTS=OFF >/dev/null
configure_with_tests = @cmake --preset $(1) -D TROUPE_TESTS=ON >/dev/null
# On a terminal ninja keeps to one line; elsewhere only what went wrong is worth printing.
build = @$(if $(MAKE_TERMOUT),,echo "Building build/$(1)";) cmake --build build/$(1) --parallel $(JOBS) $(if $(2),--target $(2)) -- $(if $(MAKE_TERMOUT),,--quiet)
ctest = @$(in_browser) ctest --test-dir build/$(1) --parallel $(JOBS) --progress --output-on-failure --no-tests=error $(only_e2e) $(ARGS)
# With BROWSER=chromium, all end-to-end tests and only these, in that browser. Desktops have a variable of that
# name, too: only what was typed counts.
browser = $(if $(findstring command line,$(origin BROWSER)),$(BROWSER))
in_browser = $(if $(browser),TROUPE_E2E_BROWSER=$(browser))
only_e2e = $(if $(browser),--label-regex '^e2e$$' --exclude-regex '^e2e\.chromium\.')
sources = @git ls-files --cached --others --exclude-standard '*.cc' '*.h'
check_format = $(sources) | xargs clang-format-19 --dry-run --Werror
define clang_tidy
@cmake --preset debug -B build/lint -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
@files=$(1); [ -z "$$files" ] || run-clang-tidy-19 -quiet -p build/lint -j $(JOBS) -warnings-as-errors='*' $$files
endef
# For a script that does the work; says so when it is not there yet.
script = @[ -x $(1) ] || { echo "$(1) is missing: 'make $@' has nothing to run yet." >&2; exit 1; }; $(1) $(ARGS)

export SEEDS FIRST MINUTES ISOLATION ENTRY MODE ROUNDS RUNS ONLY AT_ONCE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test chaos first-calls bench parity fuzz sanitize sanitize-threads format format-check lint check docs clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20
	@echo "Options: PORT=$(PORT) (run), ARGS='...' (passed on), JOBS=$(JOBS), BROWSER=chromium (test: all of e2e in it), SKIP_PACKAGES=1 (install nothing)"

run: ## Build the server and start it on http://127.0.0.1:8931/mcp
	$(packages) build run
	$(call configure,release)
	$(call build,release,troupe)
	@exec build/release/troupe --port $(PORT) $(ARGS)

build: ## Build build/release/troupe
	$(packages) build
	$(call configure,release)
	$(call build,release,troupe)

test: ## Build and run all tests
	$(packages) build run test
	$(npm)
	$(call configure_with_tests,release)
	$(build_fuzz_targets)
	$(call build,release)
	$(call ctest,release)

chaos: ## Agents work while processes die at random; SEEDS=50 FIRST=1 MINUTES=0 MODE=
	$(packages) build run test
	$(npm)
	$(call configure_with_tests,release)
	$(call build,release,troupe)
	@tests/e2e/node_modules/.bin/node tests/chaos/main.mjs

first-calls: ## Clients call first at the same moment, in every mode and entry, with and without kills; ROUNDS=5 RUNS=20 MINUTES=0 ONLY=
	$(packages) build run test
	$(npm)
	$(call configure_with_tests,release)
	$(call build,release,troupe)
	@tests/e2e/node_modules/.bin/node tests/e2e/first_calls_main.mjs

bench: ## Measure, side by side with @playwright/mcp
	$(packages) build run test bench
	$(npm)
	$(call configure_with_tests,release)
	$(call build,release)
	$(call script,bench/run.sh)

parity: ## Compare snapshots and locators with @playwright/mcp, page by page
	$(packages) build run test
	$(npm)
	$(call configure_with_tests,release)
	$(call build,release,troupe)
	@cd tests/parity && ../e2e/node_modules/.bin/node servers.mjs $(ARGS)

fuzz: ## Look long for inputs that break a parser
	$(packages) build test
	$(build_fuzz_targets)
	$(call script,scripts/fuzz.sh)

sanitize: ## Run all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(packages) build run test
	$(npm)
	$(call configure_with_tests,sanitize)
	$(call build,sanitize)
	$(call ctest,sanitize)

sanitize-threads: ## Run all tests under ThreadSanitizer
	$(packages) build run test
	$(npm)
	$(call configure_with_tests,sanitize-threads)
	$(call build,sanitize-threads)
	$(call ctest,sanitize-threads)

format: ## Format the C++ sources
	$(packages) lint
	$(sources) | xargs clang-format-19 -i

format-check: ## Check formatting
	$(packages) lint
	$(check_format)

lint: ## Check formatting, then clang-tidy; ARGS='src/mcp' for a part
	$(packages) build test lint
	$(check_format)
	$(call clang_tidy,$(or $(ARGS),'/(src|tests|bench)/'))

check: ## Formatting, clang-tidy on the files changed since SINCE=HEAD, unit tests: for every day
	$(packages) build test lint
	$(check_format)
	$(call clang_tidy,$$(scripts/changed-sources.sh $(SINCE)))
	$(call configure_with_tests,release)
	$(call build,release)
	@ctest --test-dir build/release --parallel $(JOBS) --progress --output-on-failure --no-tests=error --label-exclude 'e2e|page|fuzz' $(ARGS)

docs: ## Write docs/tools.md, docs/configuration.md and docs/errors.md from the code
	$(packages) build test
	$(call configure_with_tests,release)
	$(call build,release,troupe_docs)
	$(call script,scripts/docs.sh)

clean: ## Remove everything that was built
	@rm -rf build

# Fuzz targets have sanitizers in them; all else that `make test` runs is the release that ships.
ifneq ($(wildcard tests/fuzz/*.cc),)
define build_fuzz_targets
$(call configure_with_tests,sanitize)
$(call build,sanitize,fuzz_targets)
endef
endif
