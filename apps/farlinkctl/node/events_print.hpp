// SPDX-License-Identifier: Apache-2.0
// The events of a running node, once or as they happen.
// A plain function; one thread.
// Who follows a node goes on when it has been started anew.
#pragma once

#include "apps/farlinkctl/node/state_client.hpp"
#include "apps/farlinkctl/node/state_options.hpp"

namespace farlink::ctl {

/// The exit code.
[[nodiscard]] int print_events(const StateOptions &options, const StateClient &node);

}  // namespace farlink::ctl
