#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One browser test by its name: run.sh NAME [FOLDER OF THE BUILT PAGE]. Exits with 77 when something
# that it needs is not installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v node >/dev/null; then
    echo "skipped: there is no node; ./farlink-dev test installs it"
    exit 77
fi
export FARLINK_WEBUI=${2:-$here/../../build/webui}
export FARLINK_BIN=${FARLINK_BIN:-$FARLINK_WEBUI/../bin}
# Its files are its own, and its address is on this machine: no proxy is asked.
export no_proxy=127.0.0.1,localhost
exec node "$here/$1_test.mjs"
