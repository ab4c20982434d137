// SPDX-License-Identifier: Apache-2.0
// The alarms of a running node.
// Plain functions; one thread.
// The exit code shows whether a critical alarm is active, so that a script needs no output.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/farlinkctl/node/state_client.hpp"
#include "apps/farlinkctl/node/state_options.hpp"

namespace farlink::ctl {

/// Returns the exit code: 3 while a critical alarm is active.
[[nodiscard]] int print_alarms(const StateOptions &options, const StateClient &node);

/// The reply of `/api/v1/alarms` for people: three lines for each active alarm, then those that
/// have ended.
[[nodiscard]] std::string alarms_text(const nlohmann::ordered_json &reply);
[[nodiscard]] bool has_critical(const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
