// SPDX-License-Identifier: Apache-2.0
// The command line of bpsend, and what is sent by it.
// Filled in once by main().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <cstdint>
#include <farlink/client/types.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/messages/splitter.hpp"
#include "common/base/result.hpp"

namespace farlink::bpsend {

struct Arguments {
    messages::NodeOptions node;
    std::string destination;
    std::vector<std::string> texts;
    std::vector<std::string> files;
    bool lines = false;
    std::uint64_t bytes = 0;  ///< 0: not cut
    std::string source;
    std::string report_to;
    std::string reports;    ///< with commas
    double lifetime_s = 0;  ///< 0: that of the node
    std::string priority;
    std::string crc;
    unsigned hop_limit = 0;  ///< 0: none
    double timeout_s = 60;
    bool progress = false;
    bool json = false;
};

/// What the arguments mean.
struct Plan {
    messages::Split split = messages::Split::kWhole;
    std::size_t bytes = 0;
    client::SendOptions with{};
    std::optional<std::chrono::milliseconds> timeout{};
};

void declare(CLI::App &app, Arguments &arguments);

/// The error names the option.
[[nodiscard]] Result<Plan, std::string> plan_of(const Arguments &arguments);

}  // namespace farlink::bpsend
