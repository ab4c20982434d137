# SPDX-License-Identifier: Apache-2.0
# Prints one line per step; the output of the step is in build/log/ and is shown when the step
# fails. Sourced by farlink-dev.

logs=build/log

# Tenths of a second since `$1`, a value of EPOCHREALTIME without its point.
seconds_since() {
    local tenths=$(((${EPOCHREALTIME/[.,]/} - $1) / 100000))
    printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

fail() {
    printf 'farlink-dev: %s\n' "$*" >&2
    exit 1
}

# step TITLE LOG COMMAND...: runs the command; ends the program when it fails.
step() {
    if ! try_step "$@"; then
        show_fault "$logs/$2.log"
        fail "'$1' failed; all it printed is in $logs/$2.log"
    fi
}

# try_step TITLE LOG COMMAND...: the same, but returns the command's failure to the caller.
try_step() {
    local title=$1 log=$logs/$2.log begun=${EPOCHREALTIME/[.,]/}
    shift 2
    mkdir -p "$logs"
    printf '%-28s' "$title"
    if "$@" >"$log" 2>&1 </dev/null; then
        printf '%10s\n' "$(seconds_since "$begun")"
    else
        printf '%10s  failed\n' "$(seconds_since "$begun")"
        return 1
    fi
}

# The part of a log with the failure: from the compiler's first error on, or its end.
show_fault() {
    if grep -q '^FAILED: ' "$1"; then
        sed -n '/^FAILED: /,$p' "$1" | head -n 80
    else
        tail -n 40 "$1"
    fi
}
