// SPDX-License-Identifier: Apache-2.0
// What telemetry knows, by the control socket: any GET path of the HTTP API that it answers itself.
// A plain function; the supervisor's thread only.
// docs/formats/control.md describes the command `show`.
#pragma once

#include <nlohmann/json.hpp>

#include "module/control/commands.hpp"
#include "module/control/pending_requests.hpp"

namespace farlink::app {

/// `path` of the request, with its query. `reply` is called once.
void show_state(PendingRequests &requests, const nlohmann::ordered_json &request,
                const Commands::Reply &reply);

/// The reply to `show` for an answer of the API: `ok` and what is in its object, or `text` where it
/// is none.
[[nodiscard]] std::string shown(std::uint16_t status, std::string_view body);

}  // namespace farlink::app
