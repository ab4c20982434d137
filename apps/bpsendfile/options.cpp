// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/options.hpp"

#include <CLI/CLI.hpp>

#include "apps/options/tool_options.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bpsendfile {
namespace {

constexpr double kLongestLifetimeS = 100.0 * 365 * 24 * 3600;
constexpr std::uint64_t kLargestPiece = std::uint64_t{1} << 30;

void declare_input(CLI::App &app, Arguments &arguments) {
    app.add_option("destination", arguments.destination, "endpoint to send to, as ipn:20.42")
        ->required();
    app.add_option(
           "path", arguments.paths,
           "files and folders to send; FOLDER/. sends the content of a folder without its name")
        ->required();
    app.add_option("--depth", arguments.depth,
                   "levels of folders to send beneath a folder; 0: only its files")
        ->transform(amount("levels", 0, 255))
        ->capture_default_str();
    app.add_flag(
        "--watch", arguments.watch,
        "continue, and send new and changed files when they are closed or no longer change");
    app.add_option(
           "--scan-interval", arguments.scan_interval_s,
           "seconds between two scans of watched folders, in addition to the reports of the kernel")
        ->check(CLI::Range(0.1, 1e6))
        ->capture_default_str();
    app.add_option("--quiet-time", arguments.quiet_s,
                   "seconds without a change after which a file that a scan has found is complete")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--state", arguments.state,
                   "file that records what the node has accepted; this is not sent again");
}

void declare_sending(CLI::App &app, Arguments &arguments) {
    app.add_option("--piece-bytes", arguments.piece_bytes,
                   "a larger file is sent in pieces of this number of bytes")
        ->transform(amount("bytes", 1, kLargestPiece))
        ->capture_default_str();
    app.add_option("--parallel", arguments.parallel, "files that are read at a time")
        ->transform(amount("files", 1, 16))
        ->capture_default_str();
    app.add_option("--connections", arguments.connections, "connections to the node")
        ->transform(amount("connections", 1, 8))
        ->capture_default_str();
    app.add_option("--from", arguments.node.endpoint,
                   "service or endpoint to send from, as 42 or ipn:10.42; a random service if "
                   "absent");
    app.add_option("--lifetime", arguments.lifetime_s,
                   "lifetime of the bundles, seconds; 0: that of the node")
        ->check(CLI::Range(0.0, kLongestLifetimeS))
        ->capture_default_str();
    app.add_option("--priority", arguments.priority,
                   "bulk, normal or expedited; the node's choice if absent")
        ->check(CLI::IsMember({"bulk", "normal", "expedited"}));
}

}  // namespace

void declare(CLI::App &app, Arguments &arguments) {
    declare_input(app, arguments);
    declare_sending(app, arguments);
    messages::declare_node(app, arguments.node);
    app.add_option("--timeout", arguments.timeout_s,
                   "time limit for the bundles under way to be accepted, seconds; 0: none")
        ->check(CLI::Range(0.0, 1e8))
        ->capture_default_str();
    app.add_flag("--progress", arguments.progress,
                 "print a line a second to stderr (default on a terminal)");
    app.add_flag("--json", arguments.json,
                 "print a line of JSON for each file and folder, and a summary");
}

std::string wrong_arguments(const Arguments &arguments) {
    if (!bp::Eid::parse(arguments.destination))
        return "destination: not an endpoint: " + arguments.destination;
    const std::string &from = arguments.node.endpoint;
    const std::string error = from.empty() ? "" : messages::wrong_endpoint(from);
    return error.empty() ? error : "--from: " + error;
}

client::SendOptions options_of(const Arguments &arguments) {
    client::SendOptions with;
    with.lifetime = messages::limit_of(arguments.lifetime_s);
    if (!arguments.priority.empty())
        with.priority = arguments.priority == "bulk"     ? client::Priority::kBulk
                        : arguments.priority == "normal" ? client::Priority::kNormal
                                                         : client::Priority::kExpedited;
    return with;
}

}  // namespace farlink::bpsendfile
