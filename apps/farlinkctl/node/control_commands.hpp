// SPDX-License-Identifier: Apache-2.0
// Commands to a running node: the question as the node wants it, and its reply for people.
// Plain functions; one thread.
// docs/formats/control.md describes the two.
#pragma once

#include "apps/farlinkctl/node/control_options.hpp"

namespace farlink::ctl {

/// Asks and prints; the exit code.
[[nodiscard]] int command_node(const ControlOptions &options);

}  // namespace farlink::ctl
