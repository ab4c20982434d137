// SPDX-License-Identifier: Apache-2.0
// BPv6 administrative records: status report and custody signal (RFC 5050 section 6.1), aggregate
// custody signal (CCSDS 734.2-B-1). Values; plain functions.
// Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/admin_error.hpp"
#include "common/bp/base/fragment_extent.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp::v6 {

/// The high four bits of a record's first octet.
inline constexpr std::uint8_t kStatusReportRecord = 1;
inline constexpr std::uint8_t kCustodySignalRecord = 2;
inline constexpr std::uint8_t kAggregateCustodySignalRecord = 4;

/// DTN time (RFC 5050 section 6.1).
struct Time {
    std::uint64_t seconds = 0;
    std::uint64_t nanoseconds = 0;
    friend bool operator==(const Time &, const Time &) = default;
};

/// The bundle that a record is about.
struct Subject {
    Eid source;
    std::uint64_t creation_time_s = 0;
    std::uint64_t sequence = 0;
    std::optional<FragmentExtent> fragment;
    friend bool operator==(const Subject &, const Subject &) = default;
};

struct StatusReport {
    /// Received, custody accepted, forwarded, delivered, deleted; a time asserts it.
    std::array<std::optional<Time>, 5> times;
    std::uint8_t reason = 0;
    Subject subject;
    friend bool operator==(const StatusReport &, const StatusReport &) = default;
};

/// Reasons of a refusal (RFC 5050 section 6.1.2).
enum class CustodyReason : std::uint8_t {
    kNone = 0,
    kRedundantReception = 3,
    kDepletedStorage = 4,
    kEndpointUnintelligible = 5,
    kNoRoute = 6,
    kNoTimelyContact = 7,
    kBlockUnintelligible = 8,
};

struct CustodySignal {
    bool succeeded = false;
    std::uint8_t reason = 0;  ///< CustodyReason, seven bits
    Time time;                ///< of the signal
    Subject subject;
    friend bool operator==(const CustodySignal &, const CustodySignal &) = default;
};

/// Custody ids `first` to `last`, both included.
struct CustodyRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    friend bool operator==(const CustodyRange &, const CustodyRange &) = default;
};

struct AggregateCustodySignal {
    bool succeeded = false;
    std::uint8_t reason = 0;           ///< CustodyReason, seven bits
    std::vector<CustodyRange> ranges;  ///< ascending, apart from each other
    friend bool operator==(const AggregateCustodySignal &,
                           const AggregateCustodySignal &) = default;
};

/// The record's type alone, by which a node decides whether it supports the record.
[[nodiscard]] Result<std::uint8_t, AdminError> admin_record_type(ByteView payload);
[[nodiscard]] Result<StatusReport, AdminError> decode_status_report(ByteView payload);
[[nodiscard]] Result<CustodySignal, AdminError> decode_custody_signal(ByteView payload);
[[nodiscard]] Result<AggregateCustodySignal, AdminError> decode_aggregate_custody_signal(
    ByteView payload);

[[nodiscard]] Bytes encode(const StatusReport &report);
[[nodiscard]] Bytes encode(const CustodySignal &signal);
[[nodiscard]] Bytes encode(const AggregateCustodySignal &signal);

/// The data of a custody transfer enhancement block (type 10): valid only while `creator` is the
/// bundle's current custodian.
struct CustodyTransferEnhancement {
    std::uint64_t custody_id = 0;
    Eid creator;
    friend bool operator==(const CustodyTransferEnhancement &,
                           const CustodyTransferEnhancement &) = default;
};
[[nodiscard]] Result<CustodyTransferEnhancement, AdminError> decode_cteb(ByteView data);
[[nodiscard]] Bytes encode(const CustodyTransferEnhancement &cteb);

}  // namespace farlink::bp::v6
