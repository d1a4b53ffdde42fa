#!/usr/bin/env bash
# Writes the generated pages of docs/.
set -euo pipefail
cd "$(dirname "$0")/.."
build/release/troupe_docs docs
