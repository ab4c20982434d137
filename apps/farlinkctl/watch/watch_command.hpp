// SPDX-License-Identifier: Apache-2.0
// `farlinkctl watch`: the bundles that end at a node, as they do.
// Filled by read_options(), run by main(); one thread.
// It reads the bundle history of the node from its files: the node does no work for a watcher.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

namespace farlink::ctl {

struct WatchOptions {
    std::string config;  ///< of the node
    std::string folder;  ///< or the folder of its history
    std::string pattern;
    std::string source;
    std::string destination;
    std::string outcome;
    std::uint64_t sample = 1;
    std::uint64_t per_second = 100;
    std::uint64_t count = 0;  ///< 0: until it is interrupted
    double seconds = 0;       ///< 0: likewise
    bool json = false;
};

/// Returns the command, to see whether it was given.
CLI::App *add_watch(CLI::App &app, WatchOptions &options);
/// Returns the exit code.
[[nodiscard]] int run_watch(const WatchOptions &options);

}  // namespace farlink::ctl
