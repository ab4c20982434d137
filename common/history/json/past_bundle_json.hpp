// SPDX-License-Identifier: Apache-2.0
// A record of the bundle history as JSON.
// A plain function.
// Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include "common/history/found_bundles.hpp"

namespace farlink::history {

/// Members that are not known, or zero, are absent: reason, link, previousNode, ageMilliseconds,
/// hops.
[[nodiscard]] nlohmann::ordered_json to_json(const FoundBundle &found);

}  // namespace farlink::history
