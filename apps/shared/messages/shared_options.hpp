// SPDX-License-Identifier: Apache-2.0
// Options that several of the programs that send and receive by a node have.
// Plain functions; values of the caller, filled in once by main().
// One thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <farlink/client/types.hpp>
#include <string>

#include "apps/shared/messages/node_connection.hpp"

namespace farlink::messages {

/// The most bytes of one bundle that a program makes of its input.
inline constexpr std::uint64_t kLargestPiece = std::uint64_t{1} << 30;

// To send.

/// `destination`
void declare_destination(CLI::App &app, std::string &destination);
/// `--from`
void declare_from(CLI::App &app, NodeOptions &node);
/// The error; empty: `--from` is valid, or absent.
[[nodiscard]] std::string wrong_from(const NodeOptions &node);
/// `--lifetime`; 0: that of the node.
void declare_lifetime(CLI::App &app, double &lifetime_s);
/// `--priority`; empty: the node's choice.
void declare_priority(CLI::App &app, std::string &priority);
/// Sets both in what is sent.
void set_lifetime_and_priority(double lifetime_s, const std::string &priority,
                               client::SendOptions &with);
/// `--timeout` until `what` is accepted; 0: none.
void declare_acceptance_timeout(CLI::App &app, double &timeout_s, const std::string &what);

// To receive.

/// `endpoint`
void declare_endpoint(CLI::App &app, NodeOptions &node);
/// `--timeout` without a bundle; 0: none.
void declare_silence_timeout(CLI::App &app, double &timeout_s);

/// `--progress`
void declare_progress(CLI::App &app, bool &progress);

}  // namespace farlink::messages
