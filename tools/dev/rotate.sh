# SPDX-License-Identifier: Apache-2.0
# What continuous integration does besides the tests, each within a time of its own. Sourced by
# farlink-dev.

rotate_seconds=720
lint_seconds=300

# Lints the files named, all of them for `all`, or those that were changed, for at most 5 minutes. A
# folder of its own, since the commands of a unity build name none of the tree's files.
lint() {
    local files=("$@") limit=()
    [ $# -gt 0 ] || limit=(--seconds "$lint_seconds")
    [ "$*" != all ] || mapfile -t files < <(find common cla module apps bench tests -name '*.cpp')
    step "configure lint" configure-lint cmake --preset dev -B build/lint -DFARLINK_UNITY=OFF
    step "lint" lint python3 tools/dev/lint.py --build build/lint "${limit[@]}" "${files[@]}"
    tail -n 1 $logs/lint.log
}

# One fuzz target, or one area under a sanitizer. The line that it prints repeats it. A machine too
# slow to build it says so: what this run does not see, another one does.
rotate() {
    local choice status=0
    read -ra choice <<<"$(python3 tools/dev/rotate.py)"
    echo "rotate: ./farlink-dev ${choice[*]}"
    timeout --kill-after=30 "$rotate_seconds" ./farlink-dev "${choice[@]}" ||
        status=$?
    [ "$status" -ne 124 ] || {
        echo "rotate: no result within $rotate_seconds s"
        return 0
    }
    return "$status"
}
