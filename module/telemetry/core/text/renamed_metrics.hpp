// SPDX-License-Identifier: Apache-2.0
// Metrics that had another name in the version before: they are written under the old one, too, for
// those who still ask for that.
// A constant table; any thread.
#pragma once

#include <span>
#include <string_view>

namespace farlink::telemetry {

struct RenamedMetric {
    std::string_view old_name;
    std::string_view new_name;
    std::string_view until;  ///< the version that writes the old one last: "0.2"
};

/// Those of this version. One stays for a minor version; CHANGELOG has old and new side by side.
[[nodiscard]] constexpr std::span<const RenamedMetric> renamed_metrics() {
    return {};  // 0.1.0 is the first version
}

}  // namespace farlink::telemetry
