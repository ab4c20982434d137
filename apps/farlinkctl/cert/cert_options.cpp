// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/cert_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/farlinkctl/shared/number_options.hpp"
#include "cla/api/node_id.hpp"
#include "common/config/fields/ip_address.hpp"

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

CLI::App *add(CLI::App &group, CertOptions &options, const char *word, CertVerb verb,
              const char *help) {
    CLI::App *const made = group.add_subcommand(word, help);
    made->callback([&options, verb] { options.verb = verb; });
    return made;
}

void add_make(CLI::App &cert, CertOptions &options) {
    CertMakeOptions &make = options.make;
    CLI::App *const command = add(cert, options, "make", CertVerb::kCertMake,
                                  "make node certificates, signed by a test authority");
    command->add_option("--dir", make.directory, "folder for the files; created if missing")
        ->type_name(kFolder)
        ->required();
    command->add_option("--node", make.nodes, "node id to make a certificate for: ipn:10.0")
        ->required()
        ->check(check_node_id);
    command->add_option("--dns", make.dns_names, "DNS name to include in each certificate")
        ->check(check_dns_name);
    command->add_option("--ip", make.addresses, "IP address to include in each certificate")
        ->check(check_address);
    command->add_option("--days", make.days, "days for which the certificates are valid")
        ->transform(whole_number("days", 1, kMaxDays))
        ->capture_default_str();
    command->add_flag("--force", make.force,
                      "replace existing certificates and keys of these nodes");
}

void add_revoke(CLI::App &cert, CertOptions &options) {
    CertRevokeOptions &revoke = options.revoke;
    CLI::App *const command =
        add(cert, options, "revoke", CertVerb::kCertRevoke,
            "add certificates to the authority's revocation list, DIR/crl.pem; without files: "
            "renew the list");
    command
        ->add_option("--dir", revoke.directory, "folder of the authority, the same as for `make`")
        ->type_name(kFolder)
        ->required();
    command->add_option("--days", revoke.days, "days until the next update of the list")
        ->transform(whole_number("days", 1, kMaxDays))
        ->capture_default_str();
    command->add_option("file", revoke.files, "PEM files of the certificates to revoke")
        ->type_name(kFile);
}

void add_keys(CLI::App &app, CertOptions &options) {
    CLI::App *const keys =
        app.add_subcommand("keys", "keys of the bus, for a node that runs in several processes");
    keys->require_subcommand(1);
    add(*keys, options, "make", CertVerb::kKeysMake,
        "make the CURVE key pair for all processes of one node")
        ->add_option("folder", options.keys_folder, "folder for the files; created if missing")
        ->type_name(kFolder)
        ->required();
}

void add_tokens(CLI::App &app, CertOptions &options) {
    TokensMakeOptions &token = options.token;
    CLI::App *const tokens =
        app.add_subcommand("tokens", "access tokens for the HTTP API of a node");
    tokens->require_subcommand(1);
    CLI::App *const make = add(*tokens, options, "make", CertVerb::kTokensMake,
                               "make a token, print it once, and add its digest to a file");
    make->add_option("--role", token.role,
                     "rights of the token: applications: send and receive bundles; read: read all "
                     "state; operate: read all state and execute commands")
        ->required()
        ->check(CLI::IsMember({"applications", "read", "operate"}));
    make->add_option("--file", token.file, "`tokensFile` of the node; created if missing")
        ->type_name(kFile)
        ->required();
    make->add_option(
            "--register", token.receive,
            "endpoint or pattern (ipn:10.42, ipn:10.*) to receive at and to send from; repeatable")
        ->type_name("ENDPOINT");
    make->add_option("--send-as", token.send_as,
                     "endpoint or pattern to send from, without receiving there; repeatable")
        ->type_name("ENDPOINT");
    make->add_option("--send-to", token.send_to,
                     "destination or pattern to send to; repeatable; default: any destination")
        ->type_name("ENDPOINT");
    make->add_option("--name", token.name, "name of the token in the audit log");
}

}  // namespace

void add_cert_commands(CLI::App &app, CertOptions &options) {
    CLI::App *const cert = app.add_subcommand("cert", "certificates for TLS");
    cert->require_subcommand(1);
    add_make(*cert, options);
    add_revoke(*cert, options);
    add(*cert, options, "show", CertVerb::kCertShow, "print names, validity and issuer")
        ->add_option("file", options.show, "PEM files")
        ->type_name(kFile)
        ->required();
    add_keys(app, options);
    add_tokens(app, options);
}

}  // namespace farlink::ctl
