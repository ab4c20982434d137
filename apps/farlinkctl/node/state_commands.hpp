// SPDX-License-Identifier: Apache-2.0
// The state of a running node as tables, or as its replies.
// Plain functions; one thread.
// The requests are `show` and `log level` of docs/formats/control.md.
#pragma once

#include "apps/farlinkctl/node/state_options.hpp"

namespace farlink::ctl {

/// Sends the request and prints the reply; returns the exit code.
[[nodiscard]] int look_at_node(const StateOptions &options);

}  // namespace farlink::ctl
