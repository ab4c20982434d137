// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/program.hpp"

#include <CLI/CLI.hpp>
#include <farlink/client/address.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bptunnel/options.hpp"
#include "apps/bptunnel/running.hpp"
#include "apps/shared/messages/random_secret.hpp"
#include "apps/shared/messages/run_tool.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bptunnel {
namespace {

/// Greater than that of an earlier run, unless the clock was set back.
std::uint64_t session_of_now() {
    constexpr unsigned kRandomBits = 16;
    return client::dtn_now_ms() << kRandomBits | (entropy_seed() & 0xffff);
}

struct Registered {
    client::ConnectOptions options;
    /// Keeps the endpoint registered until the connections of the tunnel are there.
    client::Endpoint endpoint;
};

Result<Registered, std::string> register_endpoint(const messages::NodeOptions &node,
                                                  const std::string &secret) {
    const auto address = messages::reachable(node);
    if (!address) return fail(address.error());
    const auto parsed = client::parse_address(*address);
    if (!parsed || parsed->path.empty())
        return fail(*address + ": a tunnel requires the Unix socket of the node");
    auto chosen = node;
    chosen.node = *address;
    auto endpoint = messages::connect(chosen, secret);
    if (!endpoint) return fail(endpoint.error());
    client::ConnectOptions options;
    options.address = *address;
    options.registration = {endpoint->id(), secret, node.stay_s, node.window};
    options.retry = messages::milliseconds_of(node.reconnect_s);
    return Registered{std::move(options), std::move(*endpoint)};
}

void show_start(const Tunnel &tunnel, const std::string &endpoint, bool json) {
    std::cerr << "tunnel at " << endpoint;
    if (tunnel.port() != 0) std::cerr << ", listening on port " << tunnel.port();
    std::cerr << '\n';
    if (!json) return;
    nlohmann::ordered_json line{{"type", "tunnel"}, {"endpoint", endpoint}};
    if (tunnel.port() != 0) line["port"] = tunnel.port();
    std::cout << line << '\n' << std::flush;
}

int run(const Arguments &arguments) {
    auto setup = setup_of(arguments);
    if (!setup) return complain(setup.error(), messages::kExitUsage);
    auto secret = messages::read_secret(arguments.node.secret_file);
    if (!secret) return complain("--secret-file: " + secret.error(), messages::kExitUsage);
    // The same for both connections of this endpoint.
    if (secret->empty()) *secret = messages::random_secret();
    setup->session = session_of_now();
    const bool tcp = setup->tcp;

    boost::asio::io_context io(1);
    const auto tunnel = std::make_shared<Tunnel>(io.get_executor(), std::move(*setup),
                                                 std::make_shared<Counters>());
    if (const std::string error = tunnel->open(); !error.empty())
        return complain(error, messages::kExitFailed);
    auto registered = register_endpoint(arguments.node, *secret);
    if (!registered) return complain(registered.error(), messages::kExitNoNode);
    const auto running = std::make_shared<Running>(io, arguments, tunnel, tcp);
    show_start(*tunnel, registered->endpoint.id(), arguments.json);
    running->start(std::move(registered->options));
    io.run();
    return running->finish();
}

}  // namespace
}  // namespace farlink::bptunnel

int farlink::bptunnel::run_program(int argc, char **argv) {
    farlink::bptunnel::Arguments arguments;
    CLI::App app{
        "Carries UDP datagrams or TCP connections in bundles through the node on this machine"};
    farlink::add_version(app);
    farlink::bptunnel::declare(app, arguments);
    app.footer(
        "Runs until SIGINT or SIGTERM, then prints its counters.\nExit codes: 0 stopped, 1 a "
        "socket could not be opened, the connection to the node was lost, or the node refuses the "
        "ADUs, 2 bad usage, 3 no node is running, or the node refuses the endpoint.");
    return farlink::messages::run_tool(app, argc, argv, "not enough memory",
                                       [&] { return farlink::bptunnel::run(arguments); });
}
