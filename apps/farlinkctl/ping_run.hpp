// SPDX-License-Identifier: Apache-2.0
// `farlinkctl ping`: asks a node to ping, once or several times, and prints what comes of it.
// A plain function; one thread.
// The node sends and measures; here is only the count.
#pragma once

#include <string>

#include "apps/farlinkctl/control_options.hpp"

namespace farlink::ctl {

/// By the control socket at `socket`; the exit code: clean when every request was answered.
[[nodiscard]] int ping_by(const std::string &socket, const ControlOptions &options);

}  // namespace farlink::ctl
