// SPDX-License-Identifier: Apache-2.0
// The counters of one peer.
// Owned by the peer's record; read by the engine's thread.
// Every segment that is dropped is counted by its reason.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "cla/ltp/core/codec/segment.hpp"

namespace farlink::cla::ltp {

/// Sessions that were cancelled, by reason; those of reserved numbers (RFC 5326 section 3.2.4)
/// together.
struct Cancellations {
    static constexpr std::size_t kReasons = static_cast<std::size_t>(CancelReason::kCycleLimit) + 2;
    std::array<std::uint64_t, kReasons> by_reason{};

    void count(CancelReason reason) {
        ++by_reason[std::min(static_cast<std::size_t>(reason), kReasons - 1)];
    }
};

struct Counters {
    // ---- out
    std::uint64_t segments_sent = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t blocks_sent = 0;        ///< begun
    std::uint64_t blocks_delivered = 0;   ///< acknowledged, or all green and sent
    Cancellations blocks_cancelled{};     ///< by either side
    std::uint64_t segments_repeated = 0;  ///< repairs, checkpoints and cancels sent again
    std::uint64_t reports_sent = 0;
    // ---- in
    std::uint64_t segments_received = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t blocks_received = 0;     ///< handed to the client service
    std::uint64_t sessions_opened = 0;     ///< by the peer
    Cancellations receptions_cancelled{};  ///< by either side
    std::uint64_t reports_received = 0;
    std::uint64_t reordered = 0;  ///< sessions in which segments came out of order
    // ---- dropped or refused
    std::array<std::uint64_t, static_cast<std::size_t>(SegmentError::kCount_)> malformed{};
    std::uint64_t unauthenticated = 0;   ///< without an authentication value (RFC 5327)
    std::uint64_t other_keys = 0;        ///< with another ciphersuite or key id
    std::uint64_t forged = 0;            ///< with a wrong authentication value
    std::uint64_t trailing_octets = 0;   ///< datagrams with octets behind a report
    std::uint64_t foreign_sessions = 0;  ///< of another engine, or of another peer
    std::uint64_t duplicates = 0;        ///< data that were present already
    std::uint64_t late = 0;              ///< data for a session that is closed
    std::uint64_t miscoloured = 0;
    std::uint64_t contradictory = 0;  ///< data beyond an end that is known
    std::uint64_t blocks_too_large = 0;
    std::uint64_t too_many_gaps = 0;
    std::uint64_t no_memory = 0;
    std::uint64_t unknown_service = 0;
    std::uint64_t sessions_refused = 0;  ///< without room
    std::uint64_t reports_repeated = 0;
    std::uint64_t reports_unknown_session = 0;
    std::uint64_t reports_beyond_sent = 0;  ///< with claims beyond what was sent
    std::uint64_t reports_unknown_checkpoint = 0;
    std::uint64_t acks_unknown = 0;  ///< of reports that were not sent
    std::uint64_t cancels_unknown_session = 0;
    std::uint64_t answers_dropped = 0;  ///< answers beyond the queue's limit
    std::uint64_t green_lost = 0;       ///< green blocks that stayed incomplete
};

}  // namespace farlink::cla::ltp
