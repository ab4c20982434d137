// SPDX-License-Identifier: Apache-2.0
// Commands to a running node: the request, and its reply as text.
// Plain functions; one thread.
// docs/formats/control.md describes requests and replies.
#pragma once

#include "apps/farlinkctl/node/control_options.hpp"

namespace farlink::ctl {

/// Sends the request and prints the reply; returns the exit code.
[[nodiscard]] int command_node(const ControlOptions &options);

}  // namespace farlink::ctl
