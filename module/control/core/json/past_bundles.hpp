// SPDX-License-Identifier: Apache-2.0
// Records of the bundle histories as JSON.
// Plain functions on values, any thread.
// docs/formats/control.md lists the fields.
#pragma once

#include <nlohmann/json.hpp>

#include "common/history/found_bundles.hpp"

namespace farlink::control {

/// A list, in the order of `found`.
[[nodiscard]] nlohmann::ordered_json past_json(const history::FoundBundles &found);
/// How far back the histories go, and what they lack.
[[nodiscard]] nlohmann::ordered_json history_json(const history::FoundBundles &found);

}  // namespace farlink::control
