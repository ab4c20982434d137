// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/shared_options.hpp"

#include <CLI/CLI.hpp>

namespace farlink::messages {
namespace {

constexpr double kLongestLifetimeS = 100.0 * 365 * 24 * 3600;

}  // namespace

void declare_destination(CLI::App &app, std::string &destination) {
    app.add_option("destination", destination, "endpoint to send to, such as ipn:20.42")
        ->required();
}

void declare_from(CLI::App &app, NodeOptions &node) {
    app.add_option(
        "--from", node.endpoint,
        "service or endpoint to send from, such as 42 or ipn:10.42; default: a random service");
}

std::string wrong_from(const NodeOptions &node) {
    const std::string error = node.endpoint.empty() ? "" : wrong_endpoint(node.endpoint);
    return error.empty() ? error : "--from: " + error;
}

void declare_lifetime(CLI::App &app, double &lifetime_s) {
    app.add_option("--lifetime", lifetime_s,
                   "lifetime of the bundles, seconds; 0: the node's default")
        ->check(CLI::Range(0.0, kLongestLifetimeS))
        ->capture_default_str();
}

void declare_priority(CLI::App &app, std::string &priority) {
    app.add_option(
           "--priority", priority,
           "priority of the bundles: bulk, normal or expedited; default: the node's default")
        ->check(CLI::IsMember({"bulk", "normal", "expedited"}));
}

void set_lifetime_and_priority(double lifetime_s, const std::string &priority,
                               client::SendOptions &with) {
    with.lifetime = limit_of(lifetime_s);
    if (priority.empty()) return;
    with.priority = priority == "bulk"     ? client::Priority::kBulk
                    : priority == "normal" ? client::Priority::kNormal
                                           : client::Priority::kExpedited;
}

void declare_acceptance_timeout(CLI::App &app, double &timeout_s, const std::string &what) {
    app.add_option(
           "--timeout", timeout_s,
           "time limit for the node to accept the " + what + " in progress, seconds; 0: no limit")
        ->check(CLI::Range(0.0, 1e8))
        ->capture_default_str();
}

void declare_endpoint(CLI::App &app, NodeOptions &node) {
    app.add_option("endpoint", node.endpoint,
                   "service or endpoint to receive for, such as 42 or ipn:10.42")
        ->required();
}

void declare_silence_timeout(CLI::App &app, double &timeout_s) {
    app.add_option("--timeout", timeout_s,
                   "end after this time in seconds without a bundle; 0: never")
        ->check(CLI::Range(0.0, 1e8))
        ->capture_default_str();
}

void declare_progress(CLI::App &app, bool &progress) {
    app.add_flag("--progress", progress,
                 "print a progress line every second to stderr (default on a terminal)");
}

}  // namespace farlink::messages
