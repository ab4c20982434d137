// SPDX-License-Identifier: Apache-2.0
// A way as a drawing of lines, and as JSON.
// Plain functions; any thread.
// Names come from other nodes: control characters are replaced.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/bptrace/core/way.hpp"

namespace farlink::bptrace {

/// What is known beside the reports.
struct Trace {
    std::string destination{};
    std::uint64_t bytes = 0;  ///< of the payload
    unsigned version = 7;     ///< of the bundle
    DtnTime sent_ms = 0;
    double limit_s = 0;        ///< the time that reports were waited for
    bool interrupted = false;  ///< by the user
};

/// The way, its outcome, and what may be missing; each line with its end.
[[nodiscard]] std::string way_text(const Way &way, const Trace &trace);
[[nodiscard]] nlohmann::ordered_json way_json(const Way &way, const Trace &trace);

/// Why there may be fewer reports than nodes; empty when the way is complete.
[[nodiscard]] std::string hint_of(const Way &way);

}  // namespace farlink::bptrace
