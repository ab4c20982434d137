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
    app.add_option("destination", arguments.destination, "endpoint to send to, such as ipn:20.42")
        ->required();
    app.add_option(
           "path", arguments.paths,
           "files and folders to send; FOLDER/. sends the content of a folder without its name")
        ->required();
    app.add_option("--depth", arguments.depth,
                   "levels of folders to send beneath a folder; 0: only the files in the folder")
        ->transform(amount("levels", 0, 255))
        ->capture_default_str();
    app.add_flag(
        "--watch", arguments.watch,
        "keep running, and send new and changed files when they are closed or no longer change");
    app.add_option("--scan-interval", arguments.scan_interval_s,
                   "time between two scans of watched folders, in addition to the kernel's "
                   "notifications, seconds")
        ->check(CLI::Range(0.1, 1e6))
        ->capture_default_str();
    app.add_option("--quiet-time", arguments.quiet_s,
                   "time without a change after which a file found by a scan is complete, seconds")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option(
        "--state", arguments.state,
        "file that records which files and pieces the node has accepted; these are not sent again");
}

void declare_sending(CLI::App &app, Arguments &arguments) {
    app.add_option("--piece-bytes", arguments.piece_bytes,
                   "size of a piece in bytes; larger files are sent in pieces")
        ->transform(amount("bytes", 1, kLargestPiece))
        ->capture_default_str();
    app.add_option("--parallel", arguments.parallel, "number of files read at the same time")
        ->transform(amount("files", 1, 16))
        ->capture_default_str();
    app.add_option("--connections", arguments.connections, "number of connections to the node")
        ->transform(amount("connections", 1, 8))
        ->capture_default_str();
    app.add_option(
        "--from", arguments.node.endpoint,
        "service or endpoint to send from, such as 42 or ipn:10.42; default: a random service");
    app.add_option("--lifetime", arguments.lifetime_s,
                   "lifetime of the bundles, seconds; 0: the node's default")
        ->check(CLI::Range(0.0, kLongestLifetimeS))
        ->capture_default_str();
    app.add_option(
           "--priority", arguments.priority,
           "priority of the bundles: bulk, normal or expedited; default: the node's default")
        ->check(CLI::IsMember({"bulk", "normal", "expedited"}));
}

}  // namespace

void declare(CLI::App &app, Arguments &arguments) {
    declare_input(app, arguments);
    declare_sending(app, arguments);
    messages::declare_node(app, arguments.node);
    app.add_option(
           "--timeout", arguments.timeout_s,
           "time limit for the node to accept the bundles in progress, seconds; 0: no limit")
        ->check(CLI::Range(0.0, 1e8))
        ->capture_default_str();
    app.add_flag("--progress", arguments.progress,
                 "print a progress line every second to stderr (default on a terminal)");
    app.add_flag("--json", arguments.json,
                 "print a line of JSON for each file and folder and a summary");
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
