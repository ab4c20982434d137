// SPDX-License-Identifier: Apache-2.0
// Records of bundles as lines.
// Plain functions; any thread.
// Names come from other nodes: control characters are replaced.
#pragma once

#include <string>

#include "common/history/found_bundles.hpp"

namespace farlink::ctl {

/// "12:00:03.250 sent by link 2: ipn:10.1/757000000000/3 to ipn:20.1, 1.23 kB, age 120 ms, 2 hops"
[[nodiscard]] std::string watch_line(const history::FoundBundle &found);

}  // namespace farlink::ctl
