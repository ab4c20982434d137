// SPDX-License-Identifier: Apache-2.0
// The command line of bpreceive.
// Filled in once by main().
// A value; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "apps/shared/messages/node_connection.hpp"

namespace farlink::bpreceive {

struct Arguments {
    messages::NodeOptions node;
    bool lines = false;
    std::string folder;
    std::string command;
    std::uint64_t count = 0;  ///< 0: no limit
    double timeout_s = 0;     ///< 0: none
    bool progress = false;
    bool json = false;
};

void declare(CLI::App &app, Arguments &arguments);

/// The error; empty: the arguments fit together. The window becomes no larger than is useful.
[[nodiscard]] std::string complete(Arguments &arguments);

}  // namespace farlink::bpreceive
