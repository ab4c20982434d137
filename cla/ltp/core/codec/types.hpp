// SPDX-License-Identifier: Apache-2.0
// The types of LTP that all parts of the engine share: numbers, reasons, handles.
// Values; no owner of their own.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::cla::ltp {

/// RFC 5326 section 2 (1).
using EngineId = Strong<struct LtpEngineIdTag, std::uint64_t>;
/// A remote engine, by its number in this engine.
using PeerId = Strong<struct LtpPeerIdTag, std::uint32_t>;

/// Client services (SANA registry of CCSDS 734.1-B-1).
inline constexpr std::uint64_t kBundleService = 1;
/// Service data aggregation: every bundle of the block follows its own client service id.
inline constexpr std::uint64_t kAggregationService = 2;

/// RFC 5326 section 3.2.4; 6 to 255 are reserved, and accepted.
enum class CancelReason : std::uint8_t {
    kUserCancelled = 0,
    kUnreachable = 1,      ///< no such client service
    kRetransmitLimit = 2,  ///< one segment was repeated too often
    kMiscoloured = 3,      ///< red data behind green data
    kSystemCancelled = 4,  ///< no room, or silence
    kCycleLimit = 5,       ///< too many rounds of reports and repairs
};

/// A session of one direction. It never refers to a later session in the same place.
struct SessionHandle {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    friend constexpr bool operator==(SessionHandle, SessionHandle) = default;
};

/// The delays of the link to a peer.
struct LinkTiming {
    Duration owlt{};
    Duration margin{};

    /// From the sending of a segment to the latest arrival of its answer (RFC 5326 section 6.5).
    [[nodiscard]] constexpr Duration answer_within() const { return 2 * (owlt + margin); }
};

}  // namespace farlink::cla::ltp
