// SPDX-License-Identifier: Apache-2.0
// The paths by which applications send and receive.
// Entries of the API's table; plain functions on values. Any thread.
// What they ask for is done by the gateway to the applications module.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome send_bundle(const Request &request);
[[nodiscard]] Outcome receive_bundle(const Request &request);
[[nodiscard]] Outcome accept_bundle(const Request &request);
/// What a call with these parameters sends, or the refusal.
[[nodiscard]] Result<SendRequest, Answer> send_request_of(const Call &call, const Target &target);
[[nodiscard]] Outcome messages(const Request &request);

}  // namespace farlink::telemetry::paths
