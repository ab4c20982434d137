// SPDX-License-Identifier: Apache-2.0
// `show`: the state that telemetry has, by the control socket: any GET path of the HTTP API that
// telemetry answers itself. Also its part of `status`.
// Plain functions; the control agent's thread only.
// docs/formats/control.md describes the command.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/pending_requests.hpp"

namespace farlink::control {

/// `path` of the request, with its query. `answer` is called once.
void show_state(PendingRequests &requests, const nlohmann::ordered_json &request,
                const Answer &answer, const WallClock &now);

/// The reply to `show` for an answer of the API: `ok` and the members of its object, or `text`
/// where it is none.
[[nodiscard]] nlohmann::ordered_json shown(std::uint16_t status, std::string_view body);

/// `degraded`, why the node works with restrictions ("": it does not), and `alarms`, how many are
/// active. Unknown ones are absent: both if telemetry does not reply.
using TakeCondition =
    std::function<void(const nlohmann::ordered_json &condition, const WallClock &now)>;
void request_condition(PendingRequests &requests, TakeCondition take, const WallClock &now);

}  // namespace farlink::control
