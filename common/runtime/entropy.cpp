// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/entropy.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "common/base/invariant.hpp"

namespace farlink {

void fill_random(MutableBytes octets) {
    while (!octets.empty()) {
        const ssize_t got = ::getrandom(octets.data(), octets.size(), 0);
        if (got < 0) {
            // Without flags getrandom fails for a moment only: a signal came first.
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

}  // namespace farlink
