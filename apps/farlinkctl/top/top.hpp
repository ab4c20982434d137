// SPDX-License-Identifier: Apache-2.0
// `farlinkctl top`: the state of a running node on the terminal, redrawn at an interval.
// A plain function; one thread.
// Where standard output is no terminal, it prints one picture and ends.
#pragma once

#include "apps/farlinkctl/node/state_options.hpp"

namespace farlink::ctl {

/// Returns the exit code.
[[nodiscard]] int run_top(const StateOptions &options);

}  // namespace farlink::ctl
