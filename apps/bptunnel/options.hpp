// SPDX-License-Identifier: Apache-2.0
// The command line of bptunnel, and the tunnel that it stands for.
// Filled in once by main().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "apps/bptunnel/tunnel.hpp"
#include "apps/shared/messages/node_connection.hpp"

namespace farlink::bptunnel {

struct Arguments {
    messages::NodeOptions node;
    std::string peer;
    std::string listen;
    std::string to;
    std::uint64_t bytes = 65'536;
    double milliseconds = 1;
    std::uint64_t queue_bytes = std::uint64_t{16} << 20;
    std::uint64_t flows = 256;
    double wait_ms = 100;
    bool drop_late = false;
    std::uint64_t socket_buffer = std::uint64_t{8} << 20;
    std::uint64_t streams = 256;
    std::uint64_t stream_window = std::uint64_t{1} << 20;
    double idle_s = 3600;
    double lifetime_s = 0;  ///< 0: that of the node
    std::string priority;
    double interval_s = 0;  ///< 0: none
    bool progress = false;
    bool json = false;
};

void declare(CLI::App &app, Arguments &arguments);

/// The error names the option. The session is left to the caller.
[[nodiscard]] Result<Setup, std::string> setup_of(const Arguments &arguments);

}  // namespace farlink::bptunnel
