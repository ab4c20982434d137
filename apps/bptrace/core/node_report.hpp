// SPDX-License-Identifier: Apache-2.0
// A status report of a node, of either bundle version, as a trace needs it.
// A value and a plain function; no socket and no clock.
// Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/bp/bundle_id.hpp"
#include "common/bp/status_reports.hpp"

namespace farlink::bptrace {

/// When an event was, in DTN milliseconds by the clock of its node.
struct Moment {
    DtnTime at_ms = 0;
    bool stated = false;  ///< in the report; otherwise it is the time when the report was made
    friend bool operator==(const Moment &, const Moment &) = default;
};

inline constexpr std::size_t kEvents = 4;
using Moments = std::array<std::optional<Moment>, kEvents>;  ///< by bp::ReportEvent

struct NodeReport {
    std::string node;  ///< the source of the report
    Moments moments;
    std::uint64_t reason = 0;  ///< bp::ReportReason, or one that is not registered yet
    bp::BundleId subject;
};

/// From the payload of an administrative record; `source` and `created_ms` are those of its bundle.
/// None: it is no status report.
[[nodiscard]] std::optional<NodeReport> read_report(ByteView payload, std::string source,
                                                    DtnTime created_ms);

}  // namespace farlink::bptrace
