// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/options.hpp"

#include <CLI/CLI.hpp>

#include "apps/shared/options/tool_options.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/history/history_reader.hpp"

namespace farlink::bptrace {
namespace {

constexpr std::uint64_t kLargestProbe = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostRecords = 1000;
constexpr double kLongestS = 1e8;

void declare_probe(CLI::App &app, Arguments &arguments) {
    app.add_option(
        "--node", arguments.node.node,
        "socket of the node that sends the probe, such as /run/farlink/applications.sock, or "
        "tcp://host:port; default: FARLINK_APPLICATIONS, the installed node, or the only node that "
        "this user runs");
    app.add_option("--connect-timeout", arguments.node.connect_timeout_s,
                   "time limit for the connection to that node, seconds")
        ->check(CLI::Range(0.0, kLongestS))
        ->capture_default_str();
    app.add_option("--timeout", arguments.timeout_s,
                   "time limit for the reports, and for the reply of each node, seconds")
        ->check(CLI::Range(0.001, kLongestS))
        ->capture_default_str();
    app.add_option("--lifetime", arguments.lifetime_s,
                   "lifetime of the probe, seconds; 0: the time of --timeout")
        ->check(CLI::Range(0.0, kLongestS))
        ->capture_default_str();
    app.add_option("--bundle-size", arguments.payload_bytes, "payload bytes of the probe: 64, 10k")
        ->transform(amount("bytes", 0, kLargestProbe))
        ->capture_default_str();
    app.add_option("--bp-version", arguments.bp_version,
                   "bundle protocol version of the probe, 7 or 6")
        ->check(CLI::IsMember({6, 7}))
        ->capture_default_str();
    app.add_option("--hop-limit", arguments.hop_limit, "BPv7 hop limit of the probe, 1 to 255")
        ->check(CLI::Range(1, 255))
        ->capture_default_str();
}

void declare_question(CLI::App &app, Arguments &arguments) {
    ctl::add_node_choice(app, arguments.control);
    app.add_option("--ask", arguments.ask,
                   "API of another node to ask for the bundle, such as https://host:port");
    app.add_option("--token-file", arguments.token_files,
                   "file with the token for --ask in its first line: one file for all nodes, or "
                   "one for each --ask, in the same order");
    app.add_option("--ca", arguments.ca_file,
                   "file with the certificates that --ask trusts; default: those of the system");
    app.add_option("--limit", arguments.limit, "maximum number of records of each node, up to 1000")
        ->transform(amount("records", 1, kMostRecords))
        ->capture_default_str();
}

bool is_loopback(const std::string &host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

void declare(CLI::App &app, Arguments &arguments) {
    app.add_option("what", arguments.what,
                   "endpoint to send a probe to, such as ipn:30.2047, or the id of a bundle to "
                   "look for, such as ipn:10.1/757000000000/3")
        ->required();
    declare_probe(app, arguments);
    declare_question(app, arguments);
    app.add_flag("--json", arguments.json, "print the result as JSON");
}

bool is_about_bundle(const std::string &what) {
    const auto query = history::parse_bundle_query(what);
    return query && query->sequence;
}

Result<std::vector<AskedNode>, std::string> asked_nodes(const Arguments &arguments) {
    const std::vector<std::string> &files = arguments.token_files;
    if (files.size() > 1 && files.size() != arguments.ask.size())
        return fail(
            std::string("--token-file: expected one file for all nodes, or one for each --ask"));
    std::vector<std::string> tokens;
    for (const std::string &file : files) {
        auto token = messages::read_secret(file);
        if (!token) return fail("--token-file: " + token.error());
        tokens.push_back(std::move(*token));
    }
    std::vector<AskedNode> nodes;
    for (std::size_t at = 0; at < arguments.ask.size(); ++at) {
        const std::string &url = arguments.ask[at];
        auto server = parse_api_address(url);
        if (!server) return fail("--ask: " + server.error());
        AskedNode node{url, std::move(*server)};
        node.server.ca_file = arguments.ca_file;
        if (!tokens.empty()) node.token = tokens[tokens.size() > 1 ? at : 0];
        if (!node.token.empty() && !node.server.tls && !is_loopback(node.server.host))
            return fail("--ask: " + url + ": a token is sent only by https, or to this machine");
        nodes.push_back(std::move(node));
    }
    return nodes;
}

std::string wrong_probe(const Arguments &arguments) {
    if (!bp::Eid::parse(arguments.what))
        return "found " + arguments.what +
               "; expected an endpoint, such as ipn:30.2047, or the id of a bundle, "
               "SOURCE/TIME/SEQUENCE";
    if (!arguments.ask.empty()) return "--ask requires the id of a bundle";
    return {};
}

}  // namespace farlink::bptrace
