// SPDX-License-Identifier: Apache-2.0
// farlink-cfdpd: a CFDP entity, by bundles of a node on this machine or by UDP.
#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/cfdp/daemon/bundle_layer.hpp"
#include "apps/cfdp/daemon/control_server.hpp"
#include "apps/cfdp/daemon/daemon.hpp"
#include "apps/cfdp/daemon/udp_layer.hpp"
#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/messages/random_secret.hpp"
#include "apps/shared/messages/run_tool.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/runtime/process/process_limits.hpp"
#include "common/runtime/socket_path.hpp"

namespace farlink::cfdpd {
namespace {

using messages::kExitFailed;
using messages::kExitOk;
using messages::kExitUsage;

struct Arguments {
    std::string config;
    bool check = false;
    bool json = false;
};

void show_start(const cfdp::EntityConfig &config, std::uint16_t port, bool json) {
    std::cerr << "entity " << config.entity << " ready";
    if (config.udp) std::cerr << ", UDP port " << port;
    std::cerr << '\n';
    if (!json) return;
    nlohmann::ordered_json line{{"type", "ready"}, {"entity", config.entity}};
    if (config.udp) line["udpPort"] = port;
    std::cout << line << '\n' << std::flush;
}

int serve(const cfdp::EntityConfig &config, bool json) {
    boost::asio::io_context io(1);
    auto daemon = Daemon::open(io, config);
    if (!daemon) return complain(daemon.error(), kExitFailed);
    std::uint16_t port = 0;
    if (config.udp) {
        const auto udp = UdpLayer::open(io, config);
        if (!udp) return complain(udp.error(), kExitFailed);
        port = (*udp)->port();
        (*daemon)->add_layer(*udp);
    }
    if (!config.node.empty())
        (*daemon)->add_layer(std::make_shared<BundleLayer>(io, config, messages::random_secret()));
    const auto control = std::make_shared<ControlServer>(io, *daemon);
    if (const std::string error = control->listen(config.control_socket); !error.empty())
        return complain(error, kExitFailed);
    boost::asio::signal_set signals(io, SIGINT, SIGTERM);
    signals.async_wait([&io](const auto &error, int) {
        if (!error) io.stop();
    });
    (*daemon)->start();
    show_start(config, port, json);
    io.run();
    control->close();
    (*daemon)->close();
    const std::string &trouble = (*daemon)->trouble();
    return trouble.empty() ? kExitOk : complain(trouble, kExitFailed);
}

/// A service manager may make the socket's folder; the start makes it if it is the entity's root.
int check(const cfdp::EntityConfig &config) {
    const std::string &socket = config.control_socket;
    const std::string folder = socket_folder(socket);
    std::error_code error;
    const bool comes = !std::filesystem::exists(folder, error) &&
                       (folder.starts_with("/run/") || folder == config.root);
    const std::string wrong = comes ? wrong_socket_name(socket) : wrong_socket_path(socket);
    return wrong.empty() ? kExitOk : complain(wrong, kExitUsage);
}

int run(const Arguments &arguments) {
    const auto config = cfdp::load_entity_config(arguments.config);
    if (!config) {
        std::cerr << config.error().to_string();
        return kExitUsage;
    }
    if (arguments.check) return check(*config);
    // Descriptors of files under way.
    [[maybe_unused]] const ProcessLimits limits = take_process_limits();
    return serve(*config, arguments.json);
}

}  // namespace
}  // namespace farlink::cfdpd

int main(int argc, char **argv) {
    farlink::cfdpd::Arguments arguments;
    CLI::App app{"A CFDP entity (CCSDS 727.0-B-5): sends and receives files by bundles or by UDP"};
    farlink::add_version(app);
    app.add_option("--config", arguments.config, "configuration file of the entity, JSON")
        ->required();
    app.add_flag("--check", arguments.check, "only check the configuration");
    app.add_flag("--json", arguments.json, "print a line of JSON when the entity is ready");
    app.footer(
        "Runs until SIGINT or SIGTERM. Transactions of class 2 continue after a restart. "
        "farlink-cfdp sends commands to the entity.\nExit codes: 0 stopped, 1 a socket or folder "
        "could not be opened, the node refused the connection, or it could not be reached for 24 "
        "hours, 2 bad usage or configuration.");
    return farlink::messages::run_tool(app, argc, argv, "not enough memory",
                                       [&] { return farlink::cfdpd::run(arguments); });
}
