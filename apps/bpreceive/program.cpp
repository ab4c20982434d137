// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "apps/bpreceive/command_output.hpp"
#include "apps/bpreceive/folder_output.hpp"
#include "apps/bpreceive/options.hpp"
#include "apps/bpreceive/output.hpp"
#include "apps/bpreceive/receiving.hpp"
#include "apps/shared/messages/interruption.hpp"
#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/messages/run_tool.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::bpreceive {
namespace {

/// All but a folder.
std::unique_ptr<Output> output_of(const Arguments &arguments) {
    if (!arguments.command.empty()) return std::make_unique<CommandOutput>(arguments.command);
    if (arguments.json) return std::make_unique<NoOutput>();
    return std::make_unique<StreamOutput>(STDOUT_FILENO, arguments.lines);
}

int receive(client::Endpoint &endpoint, const Arguments &arguments, std::unique_ptr<Output> output,
            const FolderOutput *folder) {
    std::cerr << "receiving at " << endpoint.id() << '\n';
    Receiving receiving(endpoint, arguments, std::move(output), folder);
    const messages::Interruption interruption([&receiving] {
        // The main thread waits for bundles; what it has not accepted is given again.
        std::_Exit(receiving.finish());
    });
    receiving.run();
    return receiving.finish();
}

int run(Arguments &arguments) {
    if (const std::string wrong = complete(arguments); !wrong.empty())
        return complain(wrong, messages::kExitUsage);
    auto secret = messages::read_secret(arguments.node.secret_file);
    if (!secret) return complain("--secret-file: " + secret.error(), messages::kExitUsage);
    std::unique_ptr<Output> output;
    const FolderOutput *folder = nullptr;
    if (!arguments.folder.empty()) {
        auto opened = FolderOutput::open(arguments.folder);
        if (!opened) return complain(opened.error(), messages::kExitFailed);
        auto owned = std::make_unique<FolderOutput>(std::move(*opened));
        folder = owned.get();
        output = std::move(owned);
    } else {
        output = output_of(arguments);
    }
    auto endpoint = messages::connect(arguments.node, *secret);
    if (!endpoint) return complain(endpoint.error(), messages::kExitNoNode);
    return receive(*endpoint, arguments, std::move(output), folder);
}

}  // namespace
}  // namespace farlink::bpreceive

int farlink::bpreceive::run_program(int argc, char **argv) {
    farlink::bpreceive::Arguments arguments;
    CLI::App app{"Receives the bundles for an endpoint from the node on this machine"};
    farlink::add_version(app);
    farlink::bpreceive::declare(app, arguments);
    app.footer(
        "A bundle is accepted once its payload is written to standard output, is on disk in its "
        "file, or the command ends with exit code 0. Until then the node keeps the bundle and "
        "delivers it again.\nExit codes: 0 all bundles received were written and accepted, 1 an "
        "output or a command failed, --count was not reached, or the connection to the node was "
        "lost, 2 bad usage, 3 no node is running, or the node refuses the endpoint.");
    return farlink::messages::run_tool(app, argc, argv, "not enough memory for a payload",
                                       [&] { return farlink::bpreceive::run(arguments); });
}
