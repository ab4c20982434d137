// SPDX-License-Identifier: Apache-2.0
// bpreceivefile: writes the files that bpsendfile sends beneath a folder, through a node on this
// machine.

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "apps/bpreceivefile/file_writer.hpp"
#include "apps/bpreceivefile/options.hpp"
#include "apps/bpreceivefile/receiving.hpp"
#include "apps/messages/interruption.hpp"
#include "apps/messages/node_connection.hpp"
#include "apps/messages/run_tool.hpp"
#include "apps/options/complain.hpp"
#include "apps/options/tool_options.hpp"
#include "common/runtime/process/process_limits.hpp"

namespace farlink::bpreceivefile {
namespace {

int run(const Arguments &arguments) {
    if (const std::string wrong = wrong_arguments(arguments); !wrong.empty())
        return complain(wrong, messages::kExitUsage);
    auto secret = messages::read_secret(arguments.node.secret_file);
    if (!secret) return complain("--secret-file: " + secret.error(), messages::kExitUsage);
    // Two descriptors for each file that is not complete.
    [[maybe_unused]] const ProcessLimits limits = take_process_limits();
    auto writer = FileWriter::open(arguments.folder, options_of(arguments));
    if (!writer) return complain(writer.error(), messages::kExitFailed);
    auto endpoint = messages::connect(arguments.node, *secret);
    if (!endpoint) return complain(endpoint.error(), messages::kExitNoNode);
    std::cerr << "receiving at " << endpoint->id() << '\n';
    // An earlier Ctrl-C has ended the program by itself.
    const messages::Interruption interruption;
    Receiving receiving(*endpoint, arguments, *writer, interruption);
    return receiving.run();
}

}  // namespace
}  // namespace farlink::bpreceivefile

int main(int argc, char **argv) {
    farlink::bpreceivefile::Arguments arguments;
    CLI::App app{"Writes files that bpsendfile sends beneath a folder, by a node on this machine"};
    farlink::add_version(app);
    farlink::bpreceivefile::declare(app, arguments);
    app.footer(
        "A file appears under its name when it is complete, its SHA-256 is right and it is on "
        "disk; then its bundles are accepted. On a full disk no bundles are accepted, and the "
        "program waits.\n"
        "Exit codes: 0 all files that came are written or refused, 1 a file could not be written, "
        "--count was not reached, or the node is gone, 2 bad usage, 3 no node, or it refuses the "
        "endpoint.");
    return farlink::messages::run_tool(app, argc, argv, "no memory for a bundle",
                                       [&] { return farlink::bpreceivefile::run(arguments); });
}
