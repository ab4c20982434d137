// SPDX-License-Identifier: Apache-2.0
// bping: measures echo round trips to a DTN node, by any convergence layer and both bundle
// versions.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "apps/bping/pinger.hpp"
#include "apps/bping/report.hpp"
#include "apps/shared/control/control_client.hpp"
#include "apps/shared/control/local_node.hpp"
#include "apps/shared/control/ping_run.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "common/base/seconds.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bping {
namespace {

struct Arguments {
    std::string to;
    std::string from = "ipn:99.1";
    std::string via;
    std::string listen;
    PingOptions options;
    std::string config;  ///< of the node that pings, without --via
    std::string socket;
    unsigned bp_version = 7;
    double interval_s = 1;
    double timeout_s = 10;
    bool json = false;
};

constexpr int kExitOk = 0;
constexpr int kExitLost = 1;
constexpr int kExitUsage = 2;

void declare(CLI::App &app, Arguments &arguments) {
    traffic::BundleOptions &bundle = arguments.options.bundle;
    bundle.payload_bytes = 64;
    app.add_option("to,--to", arguments.to, "endpoint of the echo service, such as ipn:2.2047")
        ->required();
    app.add_option(
        "--via", arguments.via,
        "link of bping, such as tcpclv4://host:port; options of the URL are the keys of an "
        "outduct; without it, the node on this machine sends the requests by its routes");
    app.add_option("--config", arguments.config,
                   "without --via: configuration of the node that pings");
    app.add_option("--socket", arguments.socket,
                   "without --via: control socket of the node that pings");
    app.add_option("--from", arguments.from,
                   "with --via: source endpoint; the link announces the node of this endpoint")
        ->capture_default_str();
    app.add_option("--listen", arguments.listen,
                   "with --via: induct for replies, for one-way convergence layers: stcp, mtcp, "
                   "udp");
    app.add_option("--count", arguments.options.count, "number of requests; 0: until Ctrl-C")
        ->transform(amount("requests"))
        ->capture_default_str();
    app.add_option("--interval", arguments.interval_s,
                   "time between requests, seconds; 0: send the next request after each reply")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--bundle-size", bundle.payload_bytes,
                   "payload bytes, 16 to 65536, or with --via 48 or more: 64, 10k")
        ->transform(amount("bytes"))
        ->capture_default_str();
    app.add_option("--bp-version", arguments.bp_version, "bundle protocol version, 7 or 6")
        ->check(CLI::IsMember({6, 7}))
        ->capture_default_str();
    app.add_option("--timeout", arguments.timeout_s,
                   "time limit of the connection and of each reply, seconds; without --via at most "
                   "60")
        ->check(CLI::Range(0.001, 1e8))
        ->capture_default_str();
    app.add_flag("--json", arguments.json, "print a line of JSON for each reply and a summary");
}

int ping(const Arguments &arguments) {
    const PingOptions &options = arguments.options;
    const traffic::Pattern pattern(entropy_seed());
    auto bundles = traffic::BundleTemplate::make(options.bundle, pattern);
    if (!bundles) return complain(std::string(traffic::to_string(bundles.error())), kExitUsage);

    traffic::LinkLoop loop(traffic::buffer_bytes(
        options.listen ? static_cast<const config::LinkOptions &>(*options.listen) : options.via));
    const auto on_echo = [&](const Echo &echo) {
        std::cout << (arguments.json ? echo_json(echo) : echo_text(echo, arguments.to)) << '\n'
                  << std::flush;
    };
    const auto on_lost = [&](std::uint64_t sequence) {
        std::cout << (arguments.json ? lost_json(sequence, options.timeout)
                                     : lost_text(sequence, arguments.to, options.timeout))
                  << '\n'
                  << std::flush;
    };
    Pinger pinger(options, loop, *bundles, pattern, entropy_seed(), on_echo, on_lost);
    if (!pinger.listen()) return complain("cannot listen on " + arguments.listen, kExitLost);
    if (options.listen) {
        config::LinkUrl url = options.listen->url;
        url.port = pinger.port();
        url.options.clear();
        std::cerr << "listening on " << config::to_string(url) << '\n';
    }
    const std::string error = pinger.run();
    const Summary summary{arguments.to, pinger.trips(), pinger.refused(), error};
    std::cout << (arguments.json ? summary_json(summary) : summary_text(summary)) << '\n'
              << std::flush;
    if (!error.empty()) return complain(error, kExitLost);
    if (const std::string why = pinger.why_lost(); !why.empty()) return complain(why, kExitLost);
    const bool all = pinger.trips().sent() > 0 && pinger.trips().lost() == 0;
    return all ? kExitOk : kExitLost;
}

/// Pings by a running node.
int ping_by_node(const Arguments &arguments) {
    if (!arguments.listen.empty()) return complain("--listen requires --via", kExitUsage);
    const auto socket = !arguments.socket.empty()
                            ? Result<std::string, std::string>(arguments.socket)
                        : arguments.config.empty() ? ctl::noted_local_socket()
                                                   : ctl::socket_of(arguments.config);
    if (!socket)
        return complain(socket.error() + "; or use --via with a link of bping's own", kExitLost);
    const ctl::PingArguments with{.destination = arguments.to,
                                  .count = arguments.options.count,
                                  .interval_s = arguments.interval_s,
                                  .size_bytes = arguments.options.bundle.payload_bytes,
                                  .timeout_s = arguments.timeout_s,
                                  .version = arguments.bp_version};
    return ctl::ping_by(*socket, with, arguments.json, "bping");
}

int run(Arguments &arguments) {
    if (arguments.via.empty()) return ping_by_node(arguments);
    const auto to = bp::Eid::parse(arguments.to);
    if (!to) return complain("--to: not an endpoint: " + arguments.to, kExitUsage);
    const auto from = bp::Eid::parse(arguments.from);
    if (!from) return complain("--from: not an endpoint: " + arguments.from, kExitUsage);
    const std::uint64_t node = from->view().node;
    const auto via = traffic::way_out(arguments.via, node);
    if (!via) return complain("--via: " + via.error(), kExitUsage);

    PingOptions &options = arguments.options;
    options.via = *via;
    if (!arguments.listen.empty()) {
        const auto listen = traffic::way_in(arguments.listen, node);
        if (!listen) return complain("--listen: " + listen.error(), kExitUsage);
        options.listen = *listen;
    } else if (!traffic::works_both_ways(via->url)) {
        return complain(
            "--listen is missing: " + via->url.scheme + " is a one-way convergence layer",
            kExitUsage);
    }
    options.bundle.source = from->view();
    options.bundle.destination = to->view();
    options.bundle.version = static_cast<std::uint8_t>(arguments.bp_version);
    options.interval = from_seconds(arguments.interval_s);
    options.timeout = from_seconds(arguments.timeout_s);
    return ping(arguments);
}

}  // namespace
}  // namespace farlink::bping

int main(int argc, char **argv) {
    farlink::bping::Arguments arguments;
    CLI::App app{"Measures echo round trips to a DTN node"};
    farlink::add_version(app);
    farlink::bping::declare(app, arguments);
    app.footer("Exit codes: 0 all replies arrived, 1 some or all were lost, 2 bad usage.");
    try {
        farlink::parse_words(app, argc, argv, farlink::kRenamedBundleOptions);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? farlink::bping::kExitOk : farlink::bping::kExitUsage;
    }
    return farlink::bping::run(arguments);
}
