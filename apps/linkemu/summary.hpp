// SPDX-License-Identifier: Apache-2.0
// The counters of the emulated link as text and as JSON.
// Plain functions; values only.
// Any thread.
#pragma once

#include <string>

#include "apps/linkemu/relay.hpp"

namespace farlink::linkemu {

[[nodiscard]] std::string summary_text(const Totals &totals);
[[nodiscard]] std::string summary_json(const Totals &totals, std::uint64_t seed);

}  // namespace farlink::linkemu
