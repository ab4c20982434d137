// SPDX-License-Identifier: Apache-2.0
// A small seeded generator for jitter and simulations (SplitMix64); not for keys.
// Owned by its user; one thread.
// A seed gives the same numbers on every platform, so a failing run can be repeated.
#pragma once

#include <cstdint>

namespace farlink {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31);
    }

    /// Uniform in [0, bound); bound > 0. The bias is below 2^-32 for bounds below 2^32.
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
    }

    /// True with probability numerator / denominator.
    bool chance(std::uint64_t numerator, std::uint64_t denominator) {
        return below(denominator) < numerator;
    }

private:
    __extension__ using Wide = unsigned __int128;

    std::uint64_t state_;
};

}  // namespace farlink
