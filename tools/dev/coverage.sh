# SPDX-License-Identifier: Apache-2.0
# Which lines of the decoders the tests run. Sourced by farlink-dev.

# The tests that exercise codecs: the unit tests of these areas, conformance, and the corpus of
# fuzzing.
coverage_programs=(unit_bp unit_bus unit_cla unit_codec unit_ltp unit_tcpcl
    conformance)

coverage() {
    local folder=build/coverage programs status=0
    mapfile -t programs < <(basename -s .cpp -a tests/fuzz/*_fuzz.cpp)
    step "configure coverage" configure-coverage cmake --preset dev -B "$folder" \
        $(command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache) \
        -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1 --coverage" -DFARLINK_UNITY=ON
    programs+=("${coverage_programs[@]}")
    step "build coverage" build-coverage ninja -C "$folder" -j "$(nproc)" "${programs[@]}"
    # Removes the counts of earlier runs.
    find "$folder" -name '*.gcda' -delete
    run_tests coverage -L "^(fuzz|$(IFS='|' && echo "${coverage_programs[*]}"))\$" || status=1
    python3 tools/dev/coverage.py --build "$folder" || status=1
    return "$status"
}
