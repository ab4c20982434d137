// SPDX-License-Identifier: Apache-2.0
// The impairments of an emulated link: loss, bursts of loss, duplicates, reordering, bit errors.
// Owned by a Wire; one thread.
// All use one seed, so that a run can be repeated.
#pragma once

#include <cstdint>

#include "apps/shared/emulation/wire_profile.hpp"
#include "common/base/bytes.hpp"
#include "common/base/random.hpp"

namespace farlink::emulation {

class Impairment {
public:
    Impairment(const WireProfile &profile, std::uint64_t seed);

    [[nodiscard]] bool loses() { return happens(loss_); }
    /// A chain of two states (Gilbert): in the bad one every datagram is lost.
    [[nodiscard]] bool loses_in_burst();
    [[nodiscard]] bool duplicates() { return happens(duplication_); }
    [[nodiscard]] bool reorders() { return happens(reordering_); }
    [[nodiscard]] Duration jitter();
    /// Flips the wrong bits of `octets`; returns their number.
    std::uint64_t flip_bits(MutableBytes octets);
    [[nodiscard]] bool flips_bits() const { return bit_errors_ > 0; }

private:
    /// A probability of 1 is out of reach of a comparison with 64 bits.
    struct Chance {
        std::uint64_t below = 0;
        bool always = false;
    };
    [[nodiscard]] static Chance chance(double probability);
    [[nodiscard]] bool happens(const Chance &chance);
    [[nodiscard]] std::uint64_t draw_gap();

    Random random_;
    Duration jitter_;
    Chance loss_;
    Chance burst_begins_;
    Chance burst_ends_;
    Chance duplication_;
    Chance reordering_;
    double bit_errors_;
    bool in_burst_ = false;
    std::uint64_t good_bits_ = 0;  ///< until the next wrong one
};

}  // namespace farlink::emulation
