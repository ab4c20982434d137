// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/program.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/bpsendfile/ledger.hpp"
#include "apps/bpsendfile/options.hpp"
#include "apps/bpsendfile/scanner.hpp"
#include "apps/bpsendfile/sending.hpp"
#include "apps/shared/files/digest.hpp"
#include "apps/shared/messages/interruption.hpp"
#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/messages/run_tool.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpsendfile {
namespace {

/// The connections of one endpoint, which have one secret. The error is a text for people.
Result<std::vector<client::Endpoint>, std::string> connect(const Arguments &arguments,
                                                           std::string secret) {
    if (secret.empty()) {
        files::Digest random{};
        fill_random(random);
        secret = files::hex_of(random);
    }
    messages::NodeOptions node = arguments.node;
    std::vector<client::Endpoint> endpoints;
    while (endpoints.size() < arguments.connections) {
        auto endpoint = messages::connect(node, secret);
        if (!endpoint) return fail(endpoint.error());
        node.endpoint = endpoint->id();
        endpoints.push_back(std::move(*endpoint));
    }
    return endpoints;
}

int run(const Arguments &arguments) {
    const Scanner scanner(arguments.paths, arguments.depth);
    std::string wrong = wrong_arguments(arguments);
    if (wrong.empty()) wrong = scanner.wrong_path();
    if (!wrong.empty()) return complain(wrong, messages::kExitUsage);
    auto secret = messages::read_secret(arguments.node.secret_file);
    if (!secret) return complain("--secret-file: " + secret.error(), messages::kExitUsage);
    files::SentBook book(arguments.destination);
    StateFile state;
    if (!arguments.state.empty()) {
        auto opened = StateFile::open(arguments.state, book);
        if (!opened) return complain("--state: " + opened.error(), messages::kExitUsage);
        state = std::move(*opened);
    }
    auto endpoints = connect(arguments, *secret);
    if (!endpoints) return complain(endpoints.error(), messages::kExitNoNode);

    // An earlier Ctrl-C has ended the program by itself.
    const messages::Interruption interruption;
    Ledger ledger(std::move(book), std::move(state), arguments.json);
    const int code = Sending(arguments, scanner, *endpoints, ledger, interruption).run();
    ledger.finish(arguments.destination, endpoints->front().id());
    const std::string error = ledger.error();
    return error.empty() ? code : complain(error, code);
}

}  // namespace
}  // namespace farlink::bpsendfile

int farlink::bpsendfile::run_program(int argc, char **argv) {
    farlink::bpsendfile::Arguments arguments;
    CLI::App app{"Sends files and folders as bundles through the node on this machine"};
    farlink::add_version(app);
    farlink::bpsendfile::declare(app, arguments);
    app.footer(
        "bpreceivefile at the destination writes the files. Symbolic links, devices and other "
        "special files are skipped.\nExit codes: 0 the node accepted every file, 1 a file failed, "
        "the program was interrupted, or the connection to the node was lost, 2 bad usage, or a "
        "path does not exist, 3 no node is running, or the node refuses the endpoint.");
    return farlink::messages::run_tool(app, argc, argv,
                                       "not enough memory; use a smaller --piece-bytes",
                                       [&] { return farlink::bpsendfile::run(arguments); });
}
