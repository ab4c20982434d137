# SPDX-License-Identifier: Apache-2.0
# Checks that take too long for `test` and must pass before work is done. Sourced by farlink-dev.

# Each part is a farlink-dev command, or a program of tests/verify.
verify_parts() {
    printf '%s\n' interop soak matrix "sanitize asan" "sanitize tsan" "fuzz 1"
    find tests/verify -name '*_test.py' 2>/dev/null | sort
}

# verify_part PART: runs it.
verify_part() {
    local words
    read -ra words <<<"$1"
    case ${words[0]} in
    tests/*) python3 "${words[@]}" ;;
    flaky) python3 tools/dev/flaky.py check --build build/release ;;
    *) ./farlink-dev "${words[@]}" ;;
    esac
}

# verify PART...: runs each, also after a failure; writes the report to build/.
verify() {
    local part report status=0 begun
    report=build/verify-$(date -u +%Y-%m-%dT%H-%M-%S).txt
    mkdir -p build
    printf 'farlink %s\n%s, %s processors\n\n' \
        "$(git describe --always --dirty 2>/dev/null || echo 'of an unknown commit')" \
        "$(date -u '+%Y-%m-%d %H:%M UTC')" "$(nproc)" >"$report"
    for part in "$@"; do
        begun=${EPOCHREALTIME/[.,]/}
        if try_step "$part" "verify-${part//[^a-z0-9_]/-}" verify_part "$part"; then
            printf 'passed  %10s  %s\n' "$(seconds_since "$begun")" "$part" >>"$report"
        else
            printf 'FAILED  %10s  %s\n' "$(seconds_since "$begun")" "$part" >>"$report"
            show_fault "$logs/verify-${part//[^a-z0-9_]/-}.log"
            status=1
        fi
    done
    if [ "$status" -eq 0 ]; then echo "verified"; else echo "NOT verified"; fi | tee -a "$report"
    echo "the report: $report"
    return "$status"
}
