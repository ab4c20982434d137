// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/entropy.hpp"

#include <sys/random.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <array>
#include <cerrno>

#include "common/base/invariant.hpp"

namespace farlink {
namespace {

#if defined(__x86_64__)
__attribute__((target("rdseed"))) std::uint64_t read_rdseed() {
    unsigned long long value = 0;
    // The generator may have no value ready; the caller has other sources.
    return _rdseed64_step(&value) == 1 ? value : 0;
}
#endif

}  // namespace

void fill_random(MutableBytes octets) {
    while (!octets.empty()) {
        const ssize_t got = ::getrandom(octets.data(), octets.size(), 0);
        if (got < 0) {
            // Without flags getrandom fails only when a signal interrupts it.
            FARLINK_INVARIANT(errno == EINTR);
            continue;
        }
        octets = octets.subspan(static_cast<std::size_t>(got));
    }
}

std::uint64_t entropy_seed() {
    std::array<std::uint8_t, sizeof(std::uint64_t)> octets{};
    fill_random(octets);
    return load_be<std::uint64_t>(octets.data());
}

std::uint64_t processor_random() {
#if defined(__x86_64__)
    static const bool has_rdseed = __builtin_cpu_supports("rdseed") != 0;
    if (has_rdseed) return read_rdseed();
#endif
    return 0;
}

}  // namespace farlink
