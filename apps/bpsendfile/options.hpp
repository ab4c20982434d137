// SPDX-License-Identifier: Apache-2.0
// The command line of bpsendfile.
// Filled in once by main().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <farlink/client/types.hpp>
#include <string>
#include <vector>

#include "apps/shared/messages/node_connection.hpp"

namespace farlink::bpsendfile {

struct Arguments {
    messages::NodeOptions node;
    std::string destination;
    std::vector<std::string> paths;
    std::uint64_t depth = 255;
    bool watch = false;
    double scan_interval_s = 5;
    double quiet_s = 2;
    std::uint64_t piece_bytes = 4'000'000;
    std::uint64_t parallel = 2;
    std::uint64_t connections = 2;
    std::string state;
    double lifetime_s = 0;  ///< 0: that of the node
    std::string priority;
    double timeout_s = 60;
    bool progress = false;
    bool json = false;
};

void declare(CLI::App &app, Arguments &arguments);

/// The error; empty: the arguments fit together.
[[nodiscard]] std::string wrong_arguments(const Arguments &arguments);
[[nodiscard]] client::SendOptions options_of(const Arguments &arguments);

}  // namespace farlink::bpsendfile
