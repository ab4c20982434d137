// SPDX-License-Identifier: Apache-2.0
// An inspection as text for people and as JSON.
// Plain functions on values; any thread.
// `where` is the place in the input, such as a packet; empty when the input is the bundle.
#pragma once

#include <string>
#include <string_view>

#include "apps/bpinspect/core/inspection.hpp"
#include "common/base/bytes.hpp"

namespace farlink::inspect {

struct ReportOptions {
    bool all_octets = false;  ///< octets of long fields in full
};

/// A line: kind, id, destination, size, and how much deviates.
[[nodiscard]] std::string summary_text(const Inspection &inspection, ByteView octets,
                                       std::string_view where);
/// That line, a line for each field, and one for each deviation.
[[nodiscard]] std::string report_text(const Inspection &inspection, ByteView octets,
                                      std::string_view where, const ReportOptions &options);

[[nodiscard]] std::string summary_json(const Inspection &inspection, ByteView octets,
                                       std::string_view where);
[[nodiscard]] std::string report_json(const Inspection &inspection, ByteView octets,
                                      std::string_view where, const ReportOptions &options);

/// "creation time" as a key: "creationTime".
[[nodiscard]] std::string key_of(std::string_view name);

}  // namespace farlink::inspect
