// SPDX-License-Identifier: Apache-2.0
// BPv7 administrative records (RFC 9171 section 6.1): the bundle status report, record type 1.
// A value; plain functions.
// Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/admin_error.hpp"
#include "common/bp/base/fragment_extent.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp::v7 {

inline constexpr std::uint64_t kStatusReportRecord = 1;

struct StatusReport {
    struct Item {
        bool asserted = false;
        std::optional<std::uint64_t> time_ms;  ///< DTN time
        friend bool operator==(const Item &, const Item &) = default;
    };
    std::array<Item, 4> items;  ///< received, forwarded, delivered, deleted
    std::uint64_t reason = 0;   ///< ReportReason, or one that is not registered yet
    Eid source;                 ///< of the subject bundle, as its timestamp
    std::uint64_t creation_time_ms = 0;
    std::uint64_t sequence = 0;
    std::optional<FragmentExtent> fragment;
    friend bool operator==(const StatusReport &, const StatusReport &) = default;
};

/// The record's type alone, by which a node decides whether it supports the record.
[[nodiscard]] Result<std::uint64_t, AdminError> admin_record_type(ByteView payload);
[[nodiscard]] Result<StatusReport, AdminError> decode_status_report(ByteView payload);
[[nodiscard]] Bytes encode(const StatusReport &report);

}  // namespace farlink::bp::v7
