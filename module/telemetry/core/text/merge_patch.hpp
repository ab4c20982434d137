// SPDX-License-Identifier: Apache-2.0
// What has changed between two JSON documents, as a merge patch (RFC 7396).
// A plain function on values; any thread.
// A patch takes a member away by null, so documents that are patched have no nulls of their own.
#pragma once

#include <optional>

#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// The patch that makes `to` of `from`; nothing when they are equal.
[[nodiscard]] std::optional<Json> merge_patch(const Json &from, const Json &to);

}  // namespace farlink::telemetry
