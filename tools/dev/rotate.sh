# SPDX-License-Identifier: Apache-2.0
# Checks of continuous integration besides the tests, each with a time limit. Sourced by
# farlink-dev.

rotate_seconds=720
lint_seconds=300
lint_rotate_seconds=900

# Lints the files named, all of them for `all`, or those that were changed, for at most 5 minutes;
# for `rotate`, those that were changed and then others, for at most 15 minutes.
# It has a build folder of its own, since the commands of a unity build name no files of the tree.
lint() {
    local files=("$@") limit=()
    case "$*" in
    '') limit=(--seconds "$lint_seconds") ;;
    rotate) files=() limit=(--rotate --seconds "$lint_rotate_seconds") ;;
    all) mapfile -t files < <(find common cla module apps bench tests -name '*.cpp') ;;
    esac
    step "configure lint" configure-lint cmake --preset dev -B build/lint -DFARLINK_UNITY=OFF
    step "lint" lint python3 tools/dev/lint.py --build build/lint "${limit[@]}" "${files[@]}"
    tail -n 1 $logs/lint.log
}

# One fuzz target, or one area under a sanitizer. It prints the command that repeats it. On a
# machine that is too slow to build it, it reports that and passes; another run covers it.
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
