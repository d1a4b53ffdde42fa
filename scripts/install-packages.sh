#!/usr/bin/env bash
# Installs what is missing of packages.txt for the kinds named: install-packages.sh build run test.
# SKIP_PACKAGES=1 leaves the machine as it is, for those who bring the tools themselves.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

[[ $# -gt 0 ]] || fail "Usage: scripts/install-packages.sh KIND...   (the kinds are listed in packages.txt)"
[[ -z "${SKIP_PACKAGES:-}" ]] || exit 0

wanted=()
while read -r package kind _; do
    [[ -z "$package" || "$package" == \#* || " $* " != *" $kind "* ]] && continue
    # Node may come from elsewhere, and then Debian's packages would clash with it.
    case "$package" in
        nodejs) command -v node >/dev/null && continue ;;
        npm) command -v npm >/dev/null && continue ;;
    esac
    wanted+=("$package")
done <packages.txt
[[ ${#wanted[@]} -gt 0 ]] || fail "packages.txt lists nothing for: $*"

command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || fail \
    "This machine has no apt-get; Troupe's package list is written for Debian 12." \
    "Install the equivalents of: ${wanted[*]}" \
    "Then run again with SKIP_PACKAGES=1."

# dpkg-query fails when it does not know one of them, and still lists the others.
present=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
    [[ $'\n'"$present"$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || fail \
        "These Debian packages are missing: ${missing[*]}" \
        "Installing them takes root and there is no sudo here. As root, run:" \
        "    apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
fi

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}

echo "Installing ${#missing[@]} Debian packages and what they need: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt update && apt install --yes --no-install-recommends "${missing[@]}"; }; then
    tail -n 40 "$log" >&2
    fail "The packages above could not be installed. The list is written for Debian 12 (bookworm)" \
        "with its updates and security archives; see packages.txt."
fi
