// SPDX-License-Identifier: Apache-2.0
// The command line of bpreceivefile.
// Filled in once by main().
// A value; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "apps/bpreceivefile/file_writer.hpp"
#include "apps/shared/messages/node_connection.hpp"

namespace farlink::bpreceivefile {

struct Arguments {
    messages::NodeOptions node;
    std::string folder;
    std::string existing = "keep";
    std::uint64_t most_open = 256;
    std::uint64_t most_open_bytes = 0;  ///< 0: no limit
    double longest_age_s = 7.0 * 24 * 3600;
    std::uint64_t count = 0;  ///< 0: no limit
    double timeout_s = 0;     ///< 0: none
    bool progress = false;
    bool json = false;
};

void declare(CLI::App &app, Arguments &arguments);

/// The error; empty: the arguments fit together.
[[nodiscard]] std::string wrong_arguments(const Arguments &arguments);
[[nodiscard]] WriterOptions options_of(const Arguments &arguments);

}  // namespace farlink::bpreceivefile
