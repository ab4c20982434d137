// SPDX-License-Identifier: Apache-2.0
// Asks the local node and further nodes what became of a bundle, and prints that.
// A plain function; one thread, which waits.
// A node that does not answer is named; the others count.
#pragma once

#include "apps/bptrace/options.hpp"

namespace farlink::bptrace {

/// Returns the exit code.
[[nodiscard]] int ask_nodes(const Arguments &arguments);

}  // namespace farlink::bptrace
