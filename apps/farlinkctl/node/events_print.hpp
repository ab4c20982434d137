// SPDX-License-Identifier: Apache-2.0
// The events of a running node, once or as they happen.
// A plain function; one thread.
// Following continues when the node restarts.
#pragma once

#include "apps/farlinkctl/node/state_client.hpp"
#include "apps/farlinkctl/node/state_options.hpp"

namespace farlink::ctl {

/// Returns the exit code.
[[nodiscard]] int print_events(const StateOptions &options, const StateClient &node);

}  // namespace farlink::ctl
