#!/usr/bin/env bash
# Runs the fuzz targets for FUZZ_SECONDS each (300), as many at a time as there are processors; names on the command
# line choose some of them: scripts/fuzz.sh http sse. Everything it finds stays in build/fuzz/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${FUZZ_SECONDS:-300}
fuzzers=build/sanitize
out=build/fuzz

if [[ $# -gt 0 ]]; then
    targets=("$@")
else
    targets=()
    for file in tests/fuzz/fuzz_*.cc; do
        name=${file##*/fuzz_}
        targets+=("${name%.cc}")
    done
fi
for name in "${targets[@]}"; do
    [[ -x $fuzzers/fuzz_$name ]] || {
        echo "$fuzzers/fuzz_$name is missing. Targets are the tests/fuzz/fuzz_*.cc; 'make fuzz' builds them." >&2
        exit 1
    }
done
mkdir -p "$out/crashes"

# One target: new inputs grow a corpus of its own, which the next run begins with.
fuzz() {
    local name=$1 log=$out/$1.log
    mkdir -p "$out/corpus/$name"
    if "$fuzzers/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=8192 \
        -print_final_stats=1 -dict="tests/fuzz/$name.dict" -artifact_prefix="$out/crashes/$name-" \
        "$out/corpus/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
    else
        echo "$name: BROKEN, see $log"
        sed -n 's/.*Test unit written to \(.*\)/    run it again with: '"${fuzzers//\//\\/}\/fuzz_$name"' \1/p' "$log"
        return 1
    fi
}

echo "Fuzzing ${targets[*]} for $seconds s each"
failed=0
running=0
for name in "${targets[@]}"; do
    if ((running >= $(nproc))); then
        wait -n || failed=1
        running=$((running - 1))
    fi
    fuzz "$name" &
    running=$((running + 1))
done
while ((running > 0)); do
    wait -n || failed=1
    running=$((running - 1))
done
exit $failed
