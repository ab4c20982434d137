// SPDX-License-Identifier: Apache-2.0
// The numbers of CFDP: condition codes, directives, what a transaction is named by.
// Values; no owner.
// Any thread. CCSDS 727.0-B-5, section 5.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace farlink::cfdp {

using EntityId = std::uint64_t;

/// Source entity and sequence number name a transaction.
struct TransactionId {
    EntityId source = 0;
    std::uint64_t sequence = 0;
    friend constexpr auto operator<=>(const TransactionId &, const TransactionId &) = default;
};

/// Section 5.2.2.
enum class ConditionCode : std::uint8_t {
    kNoError = 0,
    kPositiveAckLimit = 1,
    kKeepAliveLimit = 2,
    kInvalidMode = 3,
    kFilestoreRejection = 4,
    kChecksumFailure = 5,
    kSizeError = 6,
    kNakLimit = 7,
    kInactivity = 8,
    kInvalidFileStructure = 9,
    kCheckLimit = 10,
    kUnsupportedChecksum = 11,
    kSuspendRequested = 14,
    kCancelRequested = 15,
};
inline constexpr std::size_t kConditionCodes = 16;

/// "checksum failure"; of a number that the standard does not use: "unknown".
[[nodiscard]] std::string_view name_of(ConditionCode code);

/// Section 5.2.1.
enum class Directive : std::uint8_t {
    kEof = 4,
    kFinished = 5,
    kAck = 6,
    kMetadata = 7,
    kNak = 8,
    kPrompt = 9,
    kKeepAlive = 12,
};

/// What a fault leads to (section 5.4.4, fault handler override).
enum class FaultHandler : std::uint8_t { kCancel = 1, kSuspend = 2, kIgnore = 3, kAbandon = 4 };

enum class FileStatus : std::uint8_t {
    kDiscarded = 0,
    kRejected = 1,
    kRetained = 2,
    kUnreported = 3
};

enum class TransactionStatus : std::uint8_t {
    kUndefined = 0,
    kActive = 1,
    kTerminated = 2,
    kUnrecognized = 3,
};

}  // namespace farlink::cfdp
