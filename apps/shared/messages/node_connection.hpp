// SPDX-License-Identifier: Apache-2.0
// What bpsend, bpreceive and bptunnel have in common: options of the node and the endpoint, and the
// connection.
// Plain functions and values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <cstdint>
#include <farlink/client/endpoint.hpp>
#include <optional>
#include <string>

#include "apps/shared/options/complain.hpp"
#include "common/base/result.hpp"

namespace farlink::messages {

// Exit codes of these programs.
using farlink::kExitFailed;
using farlink::kExitOk;
using farlink::kExitUsage;
inline constexpr int kExitNoNode = 3;

struct NodeOptions {
    std::string node{};  ///< its socket; empty: the local node's
    std::string endpoint{};
    std::string secret_file{};
    /// The node and the batches of bpsend bound the octets that are under way.
    std::uint32_t window = 1024;
    std::uint32_t stay_s = 0;
    double connect_timeout_s = 5;
    double reconnect_s = 30;
};

/// `--node` and the others, without the endpoint.
void declare_node(CLI::App &app, NodeOptions &options);

/// The time that an option gives in seconds.
[[nodiscard]] std::chrono::milliseconds milliseconds_of(double seconds);
/// The same; 0: no limit.
[[nodiscard]] std::optional<std::chrono::milliseconds> limit_of(double seconds);

/// A service or an endpoint of a node; empty otherwise: what is expected.
[[nodiscard]] std::string wrong_endpoint(const std::string &text);

/// The secret: the first line of a file. The error is a text for people.
[[nodiscard]] Result<std::string, std::string> read_secret(const std::string &file);

/// The address of a node that takes connections, for which it is waited. The error likewise.
[[nodiscard]] Result<std::string, std::string> reachable(const NodeOptions &options);
/// Registers the endpoint; the error is a text for people.
[[nodiscard]] Result<client::Endpoint, std::string> connect(const NodeOptions &options,
                                                            std::string secret);

}  // namespace farlink::messages
