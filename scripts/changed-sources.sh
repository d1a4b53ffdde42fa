#!/usr/bin/env bash
# Prints the C++ source files that differ from a commit, as patterns for run-clang-tidy: changed-sources.sh COMMIT.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

{
    git diff --name-only --diff-filter=d "$1" -- '*.cc'
    git ls-files --others --exclude-standard -- '*.cc'
} | sed 's|.*|/&$|' | tr '\n' ' '
