// SPDX-License-Identifier: Apache-2.0
// BPv7 bundles for tests: fields that a test does not set have defaults.
// Plain values and functions.
// Any thread.
#pragma once

#include <optional>

#include "common/bp/parse.hpp"
#include "common/bp/v7/builder.hpp"
#include "tests/support/octets.hpp"

namespace farlink::test {

/// DTN milliseconds at monotonic time zero.
inline constexpr DtnTime kStart = 800'000'000'000;
inline constexpr WallClock kClock{TimePoint{}, kStart};

inline TimePoint at_ms(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

struct TestBundle {
    bp::EidView to = bp::ipn_eid(2, 1);
    bp::EidView from = bp::ipn_eid(1, 1);
    bp::EidView report_to = bp::ipn_eid(1, 0);
    std::uint64_t sequence = 0;
    std::uint64_t flags = 0;
    DtnTime created_ms = kStart;  ///< 0: the source has no clock, and `age_ms` counts
    std::uint64_t lifetime_ms = 3'600'000;
    std::optional<std::uint64_t> age_ms;
    std::optional<std::uint8_t> previous_node;  ///< at most 23
    std::optional<std::uint8_t> hop_limit;
    std::uint64_t hops = 0;
    std::size_t payload_bytes = 20;
    std::size_t unknown_block_bytes = 0;  ///< the size of a block of an unknown type; 0: none
    std::uint64_t unknown_block_flags = 0;
    std::optional<std::uint64_t> payload_number;  ///< its octets follow from it; else from sequence

    [[nodiscard]] Bytes payload() const {
        return octets_of(payload_bytes, payload_number.value_or(sequence));
    }

    [[nodiscard]] Bytes octets() const {
        bp::v7::PrimaryFields primary;
        primary.flags = flags;
        primary.destination = to;
        primary.source = from;
        primary.report_to = report_to;
        primary.creation_time_ms = created_ms;
        primary.sequence = sequence;
        primary.lifetime_ms = lifetime_ms;
        bp::v7::Builder builder(primary);
        if (hop_limit) builder.add_hop_count(*hop_limit, hops);
        if (age_ms) builder.add_bundle_age(*age_ms);
        if (previous_node)
            builder.add_block(bp::v7::kPreviousNodeBlock, 0, bp::v7::CrcType::kCrc32c,
                              Bytes{0x82, 0x02, 0x82, *previous_node, 0x00});
        if (unknown_block_bytes > 0)
            builder.add_block(200, unknown_block_flags, bp::v7::CrcType::kCrc32c,
                              octets_of(unknown_block_bytes, 1));
        return std::move(builder).finish(payload());
    }
};

}  // namespace farlink::test
