// SPDX-License-Identifier: Apache-2.0
// The settings of an engine, and of each remote engine.
// Values; the engine keeps copies. Any thread.
// Comments name the configuration keys that set the fields.
#pragma once

#include <vector>

#include "cla/ltp/core/codec/authenticator.hpp"
#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/session/number_generator.hpp"
#include "common/buffer/bundle_piece.hpp"

namespace farlink::cla::ltp {

struct EngineConfig {
    EngineId engine{};
    NumberSize numbers = NumberSize::k32Bits;    ///< ltpRandomNumberSizeBits
    std::uint32_t history_sessions = 64 * 1024;  ///< closed ones; a power of two
    // Limits of all peers together, so that a sender with many addresses gains nothing.
    std::uint32_t max_receive_sessions = 100'000;         ///< ltpMaxExpectedSimultaneousSessions
    std::uint64_t max_receive_bytes = ~std::uint64_t{0};  ///< of blocks that are not complete
    std::uint32_t max_unknown_sessions = 25'000;          ///< of all peers that are `unknown`
};

struct PeerConfig {
    EngineId engine{};  ///< remoteLtpEngineId; 0: taken from its first data
    LinkTiming timing{seconds(1), milliseconds(200)};  ///< oneWayLightTimeMs, oneWayMarginTimeMs
    std::uint32_t data_mtu = 1360;       ///< ltpDataSegmentMtu: octets of data, at least 128
    std::uint32_t report_mtu = 1360;     ///< ltpReportSegmentMtu: octets of a report, at least 128
    std::uint32_t retries = 5;           ///< ltpMaxRetriesPerSerialNumber
    std::uint32_t cycles = 1000;         ///< reports with gaps for one block (most_gap_reports())
    std::uint32_t checkpoint_every = 0;  ///< ltpCheckpointEveryNthDataSegment; 0: none
    Duration reorder_delay = milliseconds(10);  ///< once packets were seen out of order
    Duration report_delay{};  ///< always: delaySendingOfReportSegmentsTimeMsOrZeroToDisable
    Duration repair_delay{};  ///< always: delaySendingOfDataSegmentsTimeMsOrZeroToDisable
    bool hold_closing_reports = true;  ///< until the block is safe
    std::vector<std::uint64_t> services{kBundleService, kAggregationService};
    std::uint32_t max_send_sessions = 100'000;
    std::uint64_t max_send_bytes = 512U << 20U;
    std::uint32_t max_receive_sessions = 100'000;
    std::uint64_t max_receive_bytes = 512U << 20U;  ///< of blocks that are not complete
    std::uint64_t max_block_bytes = 64U << 20U;     ///< of a received block
    /// A larger received block is passed on in parts (ReadBuffer::spool_above()); its limit is
    /// `max_spooled_bytes` in place of `max_block_bytes`.
    std::uint64_t spool_above = ~std::uint64_t{0};
    std::uint64_t part_bytes = kPieceBytes;
    std::uint64_t max_spooled_bytes = ~std::uint64_t{0};
    std::uint32_t max_gaps = 8192;  ///< in one received block
    BitRate rate{};                 ///< 0: unknown
    Duration ping_interval{};       ///< of silence; 0: no pings
    bool presumed_silent = false;   ///< pinged at once; kPeerResponds follows its first segment
    bool unknown = false;           ///< not configured: shares a limit with other unknown peers
    bool answers_always = false;    ///< segments are answered while the contact is closed, too
    Authenticator *authenticator = nullptr;
};

/// How many reports with gaps a block may have: `cycles`, and `retries` more for each checkpoint
/// before its end, since a long block with many checkpoints may have gaps without any fault.
[[nodiscard]] constexpr std::uint64_t most_gap_reports(std::uint32_t cycles, std::uint32_t retries,
                                                       std::uint32_t checkpoints) {
    return cycles + std::uint64_t{retries} * checkpoints;
}

/// A sender survives an outage of this length, since it repeats a checkpoint for that long.
[[nodiscard]] constexpr Duration outage_survived(const LinkTiming &timing, std::uint32_t retries) {
    return timing.answer_within() * static_cast<std::int64_t>(retries);
}

}  // namespace farlink::cla::ltp
