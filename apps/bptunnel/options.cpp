// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/options.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

#include "apps/shared/options/tool_options.hpp"
#include "common/base/host_port.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bptunnel {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kMostQueueBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMostWindow = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostStreams = 65'536;

void declare_ends(CLI::App &app, Arguments &arguments) {
    app.add_option("endpoint", arguments.node.endpoint,
                   "service or endpoint of this end, such as 42 or ipn:10.42")
        ->required();
    app.add_option("peer", arguments.peer,
                   "endpoint of the other end, such as ipn:20.42; with --to also `any`: every "
                   "endpoint that sends to this one can use the tunnel")
        ->required();
    app.add_option("--listen", arguments.listen,
                   "receive datagrams or connections at this address, such as udp://127.0.0.1:5004 "
                   "or tcp://127.0.0.1:8080");
    app.add_option("--to", arguments.to,
                   "send datagrams or connect to this address, such as udp://127.0.0.1:6000 or "
                   "tcp://localhost:80");
}

void declare_batches(CLI::App &app, Arguments &arguments) {
    app.add_option("--bytes", arguments.bytes, "send an ADU when it has this number of bytes")
        ->transform(amount("bytes", 1, kMostBytes))
        ->capture_default_str();
    app.add_option("--milliseconds", arguments.milliseconds,
                   "maximum time from the first byte of an ADU until it is sent, milliseconds")
        ->check(CLI::Range(0.0, 60'000.0))
        ->capture_default_str();
    app.add_option("--queue-bytes", arguments.queue_bytes,
                   "maximum number of bytes that the node has not accepted yet; above it datagrams "
                   "are dropped and connections are not read")
        ->transform(amount("bytes", 1, kMostQueueBytes))
        ->capture_default_str();
    app.add_option("--lifetime", arguments.lifetime_s,
                   "lifetime of the bundles, seconds; 0: the node's default")
        ->check(CLI::Range(0.0, 3.2e9))
        ->capture_default_str();
    app.add_option(
           "--priority", arguments.priority,
           "priority of the bundles: bulk, normal or expedited; default: the node's default")
        ->check(CLI::IsMember({"bulk", "normal", "expedited"}));
}

void declare_datagrams(CLI::App &app, Arguments &arguments) {
    app.add_option("--flows", arguments.flows,
                   "UDP: maximum number of senders to which answers are sent; above it a new "
                   "sender replaces the one idle for the longest time")
        ->transform(amount("flows", 1, kMostStreams))
        ->capture_default_str();
    app.add_option("--wait-milliseconds", arguments.wait_ms,
                   "UDP: time for which datagrams wait for missing earlier ones, milliseconds")
        ->check(CLI::Range(0.0, 3'600'000.0))
        ->capture_default_str();
    app.add_flag(
        "--drop-late", arguments.drop_late,
        "UDP: drop datagrams that arrive after that time, instead of sending them out of order");
    app.add_option(
           "--socket-buffer", arguments.socket_buffer,
           "UDP: size of the socket buffers in bytes, limited by net.core.rmem_max and wmem_max")
        ->transform(amount("bytes", 4096, kMostWindow))
        ->capture_default_str();
}

void declare_streams(CLI::App &app, Arguments &arguments) {
    app.add_option("--streams", arguments.streams, "TCP: maximum number of connections")
        ->transform(amount("connections", 1, kMostStreams))
        ->capture_default_str();
    app.add_option("--stream-window", arguments.stream_window,
                   "TCP: maximum number of bytes of a connection in flight, at least 65536")
        ->transform(amount("bytes", kFirstCredit, kMostWindow))
        ->capture_default_str();
    app.add_option("--idle-timeout", arguments.idle_s,
                   "TCP: reset a connection after this time without data, seconds")
        ->check(CLI::Range(1.0, 1e8))
        ->capture_default_str();
}

/// The error; empty: scheme, host and port are set.
std::string read_url(const char *option, std::string_view url, Setup &setup) {
    const std::string error = std::string(option) + ": found " + std::string(url) +
                              "; expected udp://HOST:PORT or tcp://HOST:PORT";
    setup.tcp = url.starts_with("tcp://");
    if (!setup.tcp && !url.starts_with("udp://")) return error;
    url.remove_prefix(6);
    const auto found = split_host_port(url);
    if (!found) return error;
    setup.host = found->host;
    setup.port = std::to_string(found->port);
    return found->port == 0 && !setup.listens ? error : std::string();
}

/// The same.
std::string read_peer(const Arguments &arguments, Setup &setup) {
    if (arguments.peer == "any")
        return setup.listens ? "peer: `any` can be used only with --to" : std::string();
    const auto peer = bp::Eid::parse(arguments.peer);
    if (!peer)
        return "peer: found " + arguments.peer +
               "; expected an endpoint, such as ipn:20.42, or any";
    setup.peer = peer->to_string();
    return {};
}

template <class Unit>
std::chrono::microseconds time_of(double count) {
    return std::chrono::ceil<std::chrono::microseconds>(std::chrono::duration<double, Unit>(count));
}

void set_limits(const Arguments &arguments, Setup &setup) {
    setup.batch = {static_cast<std::size_t>(arguments.bytes),
                   time_of<std::milli>(arguments.milliseconds)};
    setup.node.most_bytes = static_cast<std::size_t>(arguments.queue_bytes);
    setup.node.with.lifetime = messages::limit_of(arguments.lifetime_s);
    if (!arguments.priority.empty())
        setup.node.with.priority = arguments.priority == "bulk"     ? client::Priority::kBulk
                                   : arguments.priority == "normal" ? client::Priority::kNormal
                                                                    : client::Priority::kExpedited;
    setup.udp.order.wait =
        std::chrono::ceil<std::chrono::milliseconds>(time_of<std::milli>(arguments.wait_ms));
    setup.udp.order.drop_late = arguments.drop_late;
    setup.udp.flows = static_cast<std::size_t>(arguments.flows);
    setup.udp.socket_bytes = arguments.socket_buffer;
    setup.streams.streams = static_cast<std::size_t>(arguments.streams);
    setup.streams.window = arguments.stream_window;
    setup.streams.idle = time_of<std::ratio<1>>(arguments.idle_s);
}

}  // namespace

void declare(CLI::App &app, Arguments &arguments) {
    declare_ends(app, arguments);
    declare_batches(app, arguments);
    declare_datagrams(app, arguments);
    declare_streams(app, arguments);
    messages::declare_node(app, arguments.node);
    app.add_option("--interval", arguments.interval_s,
                   "print the counters at this interval, seconds; 0: only at the end")
        ->check(CLI::Range(0.0, 1e8))
        ->capture_default_str();
    app.add_flag("--progress", arguments.progress,
                 "print a progress line every second to stderr (default on a terminal)");
    app.add_flag(
        "--json", arguments.json,
        "print a line of JSON with the endpoint and the port, one at each interval and a summary");
}

Result<Setup, std::string> setup_of(const Arguments &arguments) {
    if (arguments.listen.empty() == arguments.to.empty())
        return fail(std::string("expected either --listen or --to"));
    Setup setup;
    setup.listens = !arguments.listen.empty();
    std::string error = messages::wrong_endpoint(arguments.node.endpoint);
    if (!error.empty()) return fail("endpoint: " + error);
    error = setup.listens ? read_url("--listen", arguments.listen, setup)
                          : read_url("--to", arguments.to, setup);
    if (error.empty()) error = read_peer(arguments, setup);
    if (!error.empty()) return fail(std::move(error));
    set_limits(arguments, setup);
    return setup;
}

}  // namespace farlink::bptunnel
