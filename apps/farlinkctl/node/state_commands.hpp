// SPDX-License-Identifier: Apache-2.0
// What a running node knows of itself, as tables for people or as its replies.
// Plain functions; one thread.
// They ask the control socket: docs/formats/control.md, `show` and `log level`.
#pragma once

#include "apps/farlinkctl/node/state_options.hpp"

namespace farlink::ctl {

/// Asks and prints; the exit code.
[[nodiscard]] int look_at_node(const StateOptions &options);

}  // namespace farlink::ctl
