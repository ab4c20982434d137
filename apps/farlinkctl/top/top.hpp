// SPDX-License-Identifier: Apache-2.0
// `farlinkctl top`: a running node on the terminal, again and again.
// A plain function; one thread.
// Where standard output is no terminal it prints one picture and ends.
#pragma once

#include "apps/farlinkctl/node/state_client.hpp"
#include "apps/farlinkctl/node/state_options.hpp"

namespace farlink::ctl {

/// The exit code.
[[nodiscard]] int run_top(const StateOptions &options, const StateClient &node);

}  // namespace farlink::ctl
