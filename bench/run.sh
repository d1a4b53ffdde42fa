#!/usr/bin/env bash
# `make bench`: the inside with Google Benchmark, the outside side by side with @playwright/mcp.
#   bench/run.sh [GROUP...]     only these of: inside start memory load latency browser record upstream
#                               interference sessions
#   BENCH_QUICK=1               fewer rounds and sessions, at most two minutes
#   TROUPE_BUILD=build/x        other binaries than those of build/release
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node=tests/e2e/node_modules/.bin/node
[[ -x $node ]] || {
    echo "$node is missing. Run: scripts/install-npm.sh" >&2
    exit 1
}
exec "$node" bench/compare.mjs "$@"
