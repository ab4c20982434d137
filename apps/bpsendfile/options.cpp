// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/options.hpp"

#include <CLI/CLI.hpp>

#include "apps/shared/messages/shared_options.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bpsendfile {
namespace {

void declare_input(CLI::App &app, Arguments &arguments) {
    messages::declare_destination(app, arguments.destination);
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
        ->transform(amount("bytes", 1, messages::kLargestPiece))
        ->capture_default_str();
    app.add_option("--parallel", arguments.parallel, "number of files read at the same time")
        ->transform(amount("files", 1, 16))
        ->capture_default_str();
    app.add_option("--connections", arguments.connections, "number of connections to the node")
        ->transform(amount("connections", 1, 8))
        ->capture_default_str();
    messages::declare_from(app, arguments.node);
    messages::declare_lifetime(app, arguments.lifetime_s);
    messages::declare_priority(app, arguments.priority);
}

}  // namespace

void declare(CLI::App &app, Arguments &arguments) {
    declare_input(app, arguments);
    declare_sending(app, arguments);
    messages::declare_node(app, arguments.node);
    messages::declare_acceptance_timeout(app, arguments.timeout_s, "bundles");
    messages::declare_progress(app, arguments.progress);
    app.add_flag("--json", arguments.json,
                 "print a line of JSON for each file and folder and a summary");
}

std::string wrong_arguments(const Arguments &arguments) {
    if (!bp::Eid::parse(arguments.destination))
        return "destination: not an endpoint: " + arguments.destination;
    return messages::wrong_from(arguments.node);
}

client::SendOptions options_of(const Arguments &arguments) {
    client::SendOptions with;
    messages::set_lifetime_and_priority(arguments.lifetime_s, arguments.priority, with);
    return with;
}

}  // namespace farlink::bpsendfile
