// SPDX-License-Identifier: Apache-2.0
// What a tunnel has carried, for people and as JSON.
// Plain functions.
// Any thread.
#pragma once

#include <string>
#include <string_view>

#include "apps/bptunnel/peer/counters.hpp"

namespace farlink::bptunnel {

/// A line of JSON. `error`: why it has ended; for "summary" only.
[[nodiscard]] std::string figures_json(std::string_view type, const Counters &counters, bool tcp,
                                       double seconds, const std::string &error);
/// Lines for people.
[[nodiscard]] std::string figures_text(const Counters &counters, bool tcp);
/// One line.
[[nodiscard]] std::string progress_text(const Counters &counters, bool tcp);

}  // namespace farlink::bptunnel
