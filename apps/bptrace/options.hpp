// SPDX-License-Identifier: Apache-2.0
// The command line of bptrace, and what it means.
// Filled in once by main().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/bptrace/ask/api_client.hpp"
#include "apps/farlinkctl/shared/node_choice.hpp"
#include "apps/shared/messages/node_connection.hpp"
#include "common/base/result.hpp"

namespace farlink::bptrace {

inline constexpr int kExitDelivered = 0;
inline constexpr int kExitNotDelivered = 1;
inline constexpr int kExitUsage = 2;

struct Arguments {
    std::string what{};  ///< an endpoint to send a probe to, or the id of a bundle
    /// A node that was gone has lost the reports.
    messages::NodeOptions node{.reconnect_s = 0};
    std::uint64_t payload_bytes = 64;
    unsigned bp_version = 7;
    double timeout_s = 30;
    double lifetime_s = 0;      ///< 0: as long as the time limit
    unsigned hop_limit = 64;    ///< BPv6 has none
    ctl::NodeChoice control{};  ///< the node that is asked for a bundle
    std::vector<std::string> ask{};
    std::vector<std::string> token_files{};
    std::string ca_file{};
    std::uint64_t limit = 100;  ///< records of each node
    bool json = false;
};

/// A node to ask by its API.
struct AskedNode {
    std::string url{};
    http::Server server{};
    std::string token{};  ///< empty: none
};

void declare(CLI::App &app, Arguments &arguments);

/// Whether a bundle is meant, not an endpoint to send a probe to.
[[nodiscard]] bool is_about_bundle(const std::string &what);

/// The error names the option; reads the files with tokens.
[[nodiscard]] Result<std::vector<AskedNode>, std::string> asked_nodes(const Arguments &arguments);
/// What is wrong with a probe; empty: nothing.
[[nodiscard]] std::string wrong_probe(const Arguments &arguments);

}  // namespace farlink::bptrace
