// SPDX-License-Identifier: Apache-2.0
// The common part of main() in the programs that send and receive by a node.
// A plain function; the main thread, before any other.
// A reader of standard output that has gone is an error of the next write, not a signal.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace farlink::messages {

/// Parses the words, calls `run`, and returns its exit code. `no_memory` is printed when an
/// allocation fails.
[[nodiscard]] int run_tool(CLI::App &app, int argc, char **argv, const char *no_memory,
                           const std::function<int()> &run);

}  // namespace farlink::messages
