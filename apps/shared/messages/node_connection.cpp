// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/node_connection.hpp"

#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "apps/shared/messages/node_socket.hpp"
#include "apps/shared/messages/octet_writer.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::messages {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPauseMs = 50;
constexpr std::uint64_t kMostUnderWay = 1024;
constexpr std::uint64_t kLongestStayS = 31'536'000;

std::string connect_error(const client::Error &error, const std::string &address) {
    const std::string reason = error.reason.empty() ? "no reason given" : error.reason;
    switch (error.code) {
        case client::ErrorCode::kRefused:
        case client::ErrorCode::kInvalidRequest:
        case client::ErrorCode::kUnauthorized:
            return "the node refuses the endpoint: " + reason;
        default:
            return address + ": " + reason;
    }
}

}  // namespace

void declare_node(CLI::App &app, NodeOptions &options) {
    const CLI::Range up_to_years(0.0, 1e8);
    app.add_option(
        "--node", options.node,
        "socket of the node, such as /run/farlink/applications.sock, or tcp://host:port; default: "
        "FARLINK_APPLICATIONS, the installed node, or the only node that this user runs");
    app.add_option("--secret-file", options.secret_file,
                   "file whose first line is the secret of the endpoint; programs that share an "
                   "endpoint use the same secret");
    app.add_option("--window", options.window, "maximum number of messages in progress, 1 to 1024")
        ->transform(amount("messages", 1, kMostUnderWay))
        ->capture_default_str();
    app.add_option("--stay", options.stay_s,
                   "time for which a dynamic endpoint is kept, and its bundles wait, after its "
                   "last connection, seconds")
        ->transform(amount("seconds", 0, kLongestStayS))
        ->capture_default_str();
    app.add_option("--connect-timeout", options.connect_timeout_s,
                   "time limit for the first connection, seconds")
        ->check(up_to_years)
        ->capture_default_str();
    app.add_option("--reconnect", options.reconnect_s,
                   "time for which the program tries to reopen a lost connection, seconds")
        ->check(up_to_years)
        ->capture_default_str();
}

std::chrono::milliseconds milliseconds_of(double seconds) {
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

std::optional<std::chrono::milliseconds> limit_of(double seconds) {
    if (seconds <= 0) return std::nullopt;
    return milliseconds_of(seconds);
}

std::string wrong_endpoint(const std::string &text) {
    const bool number =
        !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (number || bp::Eid::parse(text)) return {};
    return "found " + text +
           "; expected a service of the node, such as 42, or an endpoint, such as ipn:10.42 or "
           "dtn://node/name";
}

Result<std::string, std::string> read_secret(const std::string &file) {
    if (file.empty()) return std::string();
    errno = 0;
    std::ifstream input(file);
    std::string line;
    if (!input || !std::getline(input, line))
        return fail(file + ": " + (errno != 0 ? reason_of(errno) : "is empty"));
    if (line.empty()) return fail(file + ": its first line is empty");
    return line;
}

Result<std::string, std::string> reachable(const NodeOptions &options) {
    const Clock::time_point end = Clock::now() + milliseconds_of(options.connect_timeout_s);
    for (;;) {
        std::string note;
        auto address = node_socket(options.node, places(), &note);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        if (address) address = try_socket(*address, left);
        if (address) {
            if (!note.empty()) std::fprintf(stderr, "%s\n", note.c_str());
            return *address;
        }
        if (!address.error().later || Clock::now() >= end) return fail(address.error().why);
        ::poll(nullptr, 0, kPauseMs);
    }
}

Result<client::Endpoint, std::string> connect(const NodeOptions &options, std::string secret) {
    const auto address = reachable(options);
    if (!address) return fail(address.error());
    client::ConnectOptions with;
    with.address = *address;
    with.registration.endpoint = options.endpoint;
    with.registration.secret = std::move(secret);
    with.registration.stay_seconds = options.stay_s;
    with.registration.window = options.window;
    with.retry = milliseconds_of(options.reconnect_s);
    auto endpoint = client::Endpoint::connect(std::move(with));
    if (!endpoint) return fail(connect_error(endpoint.error(), *address));
    return std::move(*endpoint);
}

}  // namespace farlink::messages
