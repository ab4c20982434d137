# SPDX-License-Identifier: Apache-2.0
# Configures, builds and tests one preset of CMakePresets.json. Sourced by farlink-dev.

# The cache shares compiled files between checkouts, also test files with their precompiled header;
# unity files contain absolute paths, and are not shared.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

# configure PRESET [CMAKE OPTION...]: ninja repeats it when a CMake file changes.
configure() {
    local preset=$1 cache=build/$1/CMakeCache.txt options=("${@:2}")
    [ ! -e "build/$preset/build.ninja" ] || [ CMakePresets.json -nt "$cache" ] || return 0
    if command -v ccache >/dev/null; then
        options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    step "configure $preset" "configure-$preset" cmake --preset "$preset" "${options[@]}"
}

# build PRESET [TARGET...]
build() {
    configure "$1"
    step "build $1" "build-$1" ninja -C "build/$1" -j "$(nproc)" "${@:2}"
}

# Most tests mostly wait: all of them take 550 s of a processor, and 2,700 s one by one.
tests_at_a_time() {
    echo $(($(nproc) * 6))
}

# run_tests PRESET [CTEST OPTION...]: prints ctest's closing lines; returns its failure. With
# FARLINK_RERUN_FAILED, a failure counts only when the test fails again by itself.
run_tests() {
    local preset=$1 passed=0
    shift
    rm -f "build/$preset/Testing/Temporary/LastTestsFailed.log"
    try_step "test $preset" "test-$preset" \
        ctest --test-dir "build/$preset" -j "$(tests_at_a_time)" --output-on-failure --timeout 600 \
        --no-tests=error "$@" || passed=1
    local log=$logs/test-$preset.log
    [ "$passed" -eq 0 ] || failed_tests "$log"
    printf '\n'
    sed -n '/tests passed/,$p' "$log"
    [ "$passed" -eq 0 ] || printf '\nEvery line of it: %s\n' "$log"
    if [ "$passed" -ne 0 ] && [ -n "${FARLINK_RERUN_FAILED:-}" ]; then
        python3 tools/dev/flaky.py rerun --build "build/$preset" 2>"$logs/rerun-$preset.log" &&
            passed=0
    fi
    return "$passed"
}

# What the failed tests printed: the log without the tests that passed and the closing lines.
failed_tests() {
    sed -e '/tests passed/,$d' -e '/^ *Start  *[0-9]*: /d' -e '/ Passed  *[0-9.]* sec$/d' "$1" |
        head -n 300
}
