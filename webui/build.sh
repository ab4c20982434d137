#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the dashboard: build.sh FOLDER. With --ship it also renews shipped.tar.gz, which builds
# without npm use; a test compares the two.
set -euo pipefail
out=$(realpath -m "${1:?usage: build.sh FOLDER [--ship]}")
ship=${2:-}
cd "$(dirname "${BASH_SOURCE[0]}")"

unpack_shipped() {
    rm -rf "$out" && mkdir -p "$out" && tar -xzf shipped.tar.gz -C "$out"
}

# Installs what the lock file pins, once; of several builds at a time one does it.
install_packages() {
    command -v npm >/dev/null || return
    cmp -s package-lock.json node_modules/.lock-installed && return
    npm ci --ignore-scripts --no-audit --no-fund --loglevel error &&
        cp package-lock.json node_modules/.lock-installed
}

exec 9<package-lock.json
flock 9
if ! install_packages; then
    [ -z "$ship" ] || exit 1
    echo "webui: npm is missing, or cannot install: the page is the one that is shipped" >&2
    unpack_shipped
    exit
fi
node node_modules/typescript/bin/tsc --noEmit
node node_modules/vite/bin/vite.js build --outDir "$out" --emptyOutDir --logLevel warn
# The page holds uPlot, whose licence wants to be with it.
cp node_modules/uplot/LICENSE "$out/uplot-licence.txt"
chmod -R u=rwX,go=rX "$out"
[ -z "$ship" ] || tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$out" -cf - . |
    gzip -9n >shipped.tar.gz
# The server sends these to browsers that take them.
find "$out" -name '*.js' -o -name '*.css' -o -name '*.html' | xargs gzip -9nk
