// SPDX-License-Identifier: Apache-2.0
// The difference of two JSON documents as a merge patch (RFC 7396).
// A plain function on values; any thread.
// In a patch, null removes a member, so the documents must not contain null.
#pragma once

#include <optional>

#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// The patch from `from` to `to`; nothing when they are equal.
[[nodiscard]] std::optional<Json> merge_patch(const Json &from, const Json &to);

}  // namespace farlink::telemetry
