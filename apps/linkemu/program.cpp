// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/program.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/signal_set.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/linkemu/profile_options.hpp"
#include "apps/linkemu/summary.hpp"
#include "apps/linkemu/tcp_relay.hpp"
#include "apps/linkemu/tun_relay.hpp"
#include "apps/linkemu/udp_relay.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::linkemu {
namespace {

constexpr std::uint64_t kLeastMtu = 576;
constexpr std::uint64_t kMostMtu = 65'535;

struct Arguments {
    ProfileOptions profile;
    UdpOptions udp;
    TcpOptions tcp;
    TunOptions tun;
    bool no_offload = false;
    bool json = false;
};

void declare_udp(CLI::App &app, UdpOptions &udp, bool &no_offload) {
    app.add_option("--listen", udp.listen,
                   "address at which linkemu listens for the near end, host:port")
        ->required();
    app.add_option("--to", udp.to, "address of the far end, host:port")->required();
    app.add_option("--from", udp.from,
                   "local address from which linkemu sends to the far end, host:port");
    app.add_option("--near", udp.near,
                   "address of the near end, needed if the far end sends first");
    app.add_flag("--no-offload", no_offload, "disable UDP segmentation offload");
}

void declare_tcp(CLI::App &app, TcpOptions &tcp) {
    app.add_option("--listen", tcp.listen,
                   "address at which linkemu listens for the near end, host:port")
        ->required();
    app.add_option("--to", tcp.to, "address of the far end, host:port")->required();
}

void declare_tun(CLI::App &app, TunOptions &tun) {
    app.add_option("--near-netns", tun.near.network_namespace,
                   "network namespace: a name of `ip netns`, or a path");
    app.add_option("--near-address", tun.near.address, "address, such as 10.0.0.1/24")->required();
    app.add_option("--far-netns", tun.far.network_namespace,
                   "network namespace: a name of `ip netns`, or a path");
    app.add_option("--far-address", tun.far.address, "address, such as 10.0.0.2/24")->required();
    app.add_option("--mtu", tun.near.mtu_bytes, "MTU of both interfaces, bytes")
        ->transform(amount("bytes", kLeastMtu, kMostMtu))
        ->capture_default_str();
}

RelayResult make_relay(const CLI::App &app, boost::asio::io_context &io, Arguments &arguments,
                       const Profiles &profiles) {
    if (app.got_subcommand("tcp")) return make_tcp_relay(io, arguments.tcp, profiles);
    if (app.got_subcommand("tun")) {
        arguments.tun.far.mtu_bytes = arguments.tun.near.mtu_bytes;
        return make_tun_relay(io, arguments.tun, profiles);
    }
    arguments.udp.offload = !arguments.no_offload;
    return make_udp_relay(io, arguments.udp, profiles);
}

int run(const CLI::App &app, Arguments &arguments) {
    const Profiles profiles = arguments.profile.profiles();
    boost::asio::io_context io(1);
    const RelayResult relay = make_relay(app, io, arguments, profiles);
    if (!relay) return complain(relay.error(), kExitFailed);
    boost::asio::signal_set signals(io, SIGINT, SIGTERM);
    signals.async_wait([&](const auto &, int) { io.stop(); });
    std::cerr << (*relay)->description() << '\n';
    if (arguments.json)
        std::cout << nlohmann::json{{"ports", (*relay)->ports()}} << '\n' << std::flush;
    io.run();
    const Totals totals = (*relay)->totals();
    std::cout << (arguments.json ? summary_json(totals, profiles.seed) + "\n"
                                 : summary_text(totals))
              << std::flush;
    return kExitOk;
}

}  // namespace
}  // namespace farlink::linkemu

int farlink::linkemu::run_program(int argc, char **argv) {
    using namespace farlink::linkemu;
    Arguments arguments;
    CLI::App app{"Emulates a link with delay, loss and outages between two programs"};
    farlink::add_version(app);
    app.require_subcommand(1);
    app.fallthrough();
    declare_udp(*app.add_subcommand("udp", "relay datagrams"), arguments.udp, arguments.no_offload);
    declare_tcp(*app.add_subcommand("tcp", "relay TCP connections"), arguments.tcp);
    declare_tun(*app.add_subcommand("tun", "relay IP packets between two network namespaces"),
                arguments.tun);
    arguments.profile.declare(app);
    app.add_flag("--json", arguments.json, "print a line of JSON with the ports and a summary");
    app.footer(
        "Runs until SIGINT or SIGTERM, then prints its counters.\nExit codes: 0 stopped, 1 a "
        "socket or device could not be opened, 2 bad usage.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? farlink::kExitOk : farlink::kExitUsage;
    }
    return run(app, arguments);
}
