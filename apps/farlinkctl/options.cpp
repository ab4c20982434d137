// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/options.hpp"

#include <CLI/CLI.hpp>

#include "cla/api/node_id.hpp"
#include "common/config/ip_address.hpp"

namespace farlink::ctl {
namespace {

constexpr int kMaxDays = 36'500;

std::string check_node_id(const std::string &text) {
    const auto id = cla::read_node_id(text);
    return id && id->proper ? "" : "not a node id, such as ipn:10.0 or dtn://node/: " + text;
}

std::string check_address(const std::string &text) {
    const bool plain = text.find('%') == std::string::npos;
    const bool address = config::is_ipv4_address(text) || config::is_ipv6_address(text);
    return plain && address ? "" : "not an IP address: " + text;
}

std::string check_dns_name(const std::string &text) {
    const bool spelled = std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '.' || c == '_';
    });
    return spelled && !text.empty() && check_address(text) != "" ? "" : "not a DNS name: " + text;
}

CLI::App *add_make(CLI::App &cert, CertMakeOptions &make) {
    CLI::App *const command = cert.add_subcommand(
        "make", "make node certificates, and a test authority that vouches for them");
    command->add_option("--dir", make.directory, "folder of the files; made when it is missing")
        ->required();
    command->add_option("--node", make.nodes, "node id to make a certificate for: ipn:10.0")
        ->required()
        ->check(check_node_id);
    command->add_option("--dns", make.dns_names, "host name to put into each of them")
        ->check(check_dns_name);
    command->add_option("--ip", make.addresses, "IP address to put into each of them")
        ->check(check_address);
    command->add_option("--days", make.days, "how long they are valid")
        ->check(CLI::Range(1, kMaxDays))
        ->capture_default_str();
    command->add_flag("--force", make.force,
                      "replace certificates and keys of nodes that are there already");
    return command;
}

}  // namespace

std::optional<int> read_options(int argc, char **argv, Options &options) {
    CLI::App app{"farlinkctl: helps with a farlink node"};
    app.set_version_flag("--version", FARLINK_VERSION);
    app.require_subcommand(1);
    CLI::App *const cert = app.add_subcommand("cert", "certificates for TLS");
    cert->require_subcommand(1);
    CLI::App *const make = add_make(*cert, options.make);
    CLI::App *const show =
        cert->add_subcommand("show", "print what certificates say: names, validity, issuer");
    show->add_option("file", options.show, "PEM files")->required();
    app.footer("Exit codes: 0 done, 1 failed, 2 bad usage.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitClean : kExitBadUsage;
    }
    options.command = make->parsed() ? Command::kCertMake : Command::kCertShow;
    return std::nullopt;
}

}  // namespace farlink::ctl
