// SPDX-License-Identifier: Apache-2.0
// The properties of one direction of an emulated link.
// A value, given to a Wire.
// Probabilities are in [0, 1]; the default profile forwards everything at once.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::emulation {

/// A stretch of time in which nothing is sent, counted from the start of the emulation.
struct Outage {
    Duration begin{};
    Duration length{};
};

struct WireProfile {
    Duration delay{};
    /// Each datagram is late by up to this much more, evenly distributed; none overtakes another.
    Duration jitter{};
    /// Of payload octets, without the headers of UDP and IP; 0: unlimited.
    BitRate rate{};
    /// What waits for its turn at that rate; more is lost. 0: as much as the memory holds.
    std::uint64_t queue_bytes = 0;
    /// Of all that is under way; what exceeds it is lost and counted apart.
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;

    double loss = 0;          ///< of each datagram, independent of others
    double burst_loss = 0;    ///< share of datagrams that are lost in bursts
    double burst_length = 8;  ///< mean number of datagrams in such a burst, at least 1
    double duplication = 0;
    double reordering = 0;  ///< of a datagram to fall behind by `reordering_delay`
    Duration reordering_delay = milliseconds(5);
    double bit_errors = 0;  ///< of each bit, as what no checksum found

    std::vector<Outage> outages{};
    Duration outage_period{};  ///< after which the outages come again; zero: once
};

/// Counters of datagrams, or pieces of a stream; bytes are of their payload.
struct WireCounters {
    std::uint64_t taken = 0;
    std::uint64_t taken_bytes = 0;
    std::uint64_t carried = 0;  ///< arrived, duplicates among them
    std::uint64_t carried_bytes = 0;
    std::uint64_t lost = 0;
    std::uint64_t lost_in_bursts = 0;
    std::uint64_t lost_in_outages = 0;
    std::uint64_t queue_full = 0;
    std::uint64_t memory_full = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t reordered = 0;
    std::uint64_t flipped_bits = 0;
    std::uint64_t most_bytes = 0;  ///< under way at one time
};

}  // namespace farlink::emulation
