// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/program.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "apps/bpreceivefile/file_writer.hpp"
#include "apps/bpreceivefile/options.hpp"
#include "apps/bpreceivefile/receiving.hpp"
#include "apps/shared/messages/interruption.hpp"
#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/messages/run_tool.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
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

int farlink::bpreceivefile::run_program(int argc, char **argv) {
    farlink::bpreceivefile::Arguments arguments;
    CLI::App app{
        "Receives the files of bpsendfile from the node on this machine and writes them beneath a "
        "folder"};
    farlink::add_version(app);
    farlink::bpreceivefile::declare(app, arguments);
    app.footer(
        "A file appears under its name when it is complete, its SHA-256 matches and it is on disk; "
        "then its bundles are accepted. While the disk is full, the program accepts no bundles and "
        "waits.\nExit codes: 0 all files received were written or refused, 1 a file could not be "
        "written, --count was not reached, or the connection to the node was lost, 2 bad usage, 3 "
        "no node is running, or the node refuses the endpoint.");
    return farlink::messages::run_tool(app, argc, argv, "not enough memory for a bundle",
                                       [&] { return farlink::bpreceivefile::run(arguments); });
}
