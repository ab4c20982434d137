// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/farlinkctl/completion.hpp"
#include "apps/farlinkctl/file_options.hpp"
#include "apps/farlinkctl/number_options.hpp"
#include "apps/options/tool_options.hpp"
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

CLI::App *add_make(CLI::App &cert, CertMakeOptions &make) {
    CLI::App *const command = cert.add_subcommand(
        "make", "make node certificates, and a test authority that vouches for them");
    command->add_option("--dir", make.directory, "folder of the files; made when it is missing")
        ->type_name(kFolder)
        ->required();
    command->add_option("--node", make.nodes, "node id to make a certificate for: ipn:10.0")
        ->required()
        ->check(check_node_id);
    command->add_option("--dns", make.dns_names, "host name to put into each of them")
        ->check(check_dns_name);
    command->add_option("--ip", make.addresses, "IP address to put into each of them")
        ->check(check_address);
    command->add_option("--days", make.days, "how long they are valid")
        ->transform(whole_number("days", 1, kMaxDays))
        ->capture_default_str();
    command->add_flag("--force", make.force,
                      "replace certificates and keys of nodes that are there already");
    return command;
}

CLI::App *add_tokens(CLI::App &app, TokensMakeOptions &token) {
    CLI::App *const tokens =
        app.add_subcommand("tokens", "who may use the HTTP API of a node, and for what");
    tokens->require_subcommand(1);
    CLI::App *const make =
        tokens->add_subcommand("make", "make a token, print it once, and add its digest to a file");
    make->add_option("--role", token.role, "read: look at everything; operate: change it, too")
        ->required()
        ->check(CLI::IsMember({"read", "operate"}));
    make->add_option("--file", token.file, "the node's tokensFile; made when it is missing")
        ->type_name(kFile)
        ->required();
    make->add_option("--name", token.name, "what the audit calls who uses it");
    return make;
}

/// The word that was to be a command and is none; empty: something else is wrong.
std::string unknown_command(const CLI::App &app, const CLI::ParseError &error) {
    const std::vector<std::string> left = app.remaining(true);
    const bool missing =
        std::string_view(error.what()).starts_with("A subcommand is required") && !left.empty();
    return missing && !left.front().starts_with('-') ? left.front() : std::string();
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
    show->add_option("file", options.show, "PEM files")->type_name(kFile)->required();
    CLI::App *const keys =
        app.add_subcommand("keys", "keys of the bus, for a node of several processes");
    keys->require_subcommand(1);
    CLI::App *const make_keys = keys->add_subcommand(
        "make", "make the pair of CURVE keys that all processes of one node have");
    make_keys
        ->add_option("directory", options.keys_directory, "folder of the files; made when missing")
        ->type_name(kFolder)
        ->required();
    const CLI::App *const tokens = add_tokens(app, options.token);
    const CLI::App *const plan = add_plan(app, options.plan);
    add_control_commands(app, options.control);
    add_state_commands(app, options.state);
    const CLI::App *const bash =
        command_group(app, "completion", "let a shell complete what is typed")
            .add_subcommand("bash",
                            "print a script for bash: source <(farlinkctl completion bash)");
    app.footer("Exit codes: 0 done, 1 failed, 2 bad usage.");
    try {
        parse_words(app, argc, argv, kRenamedBundleOptions);
    } catch (const CLI::ParseError &error) {
        if (const std::string unknown = unknown_command(app, error); !unknown.empty()) {
            std::fprintf(stderr, "%s: there is no such command\n%s\n", unknown.c_str(),
                         "Run with --help for more information.");
            return kExitBadUsage;
        }
        return app.exit(error) == 0 ? kExitClean : kExitBadUsage;
    }
    options.command = make->parsed() ? Command::kCertMake : Command::kCertShow;
    if (make_keys->parsed()) options.command = Command::kKeysMake;
    if (tokens->parsed()) options.command = Command::kTokensMake;
    if (plan->parsed()) options.command = Command::kPlan;
    if (options.control.storage.verb != StorageVerb::kNone) options.command = Command::kStorage;
    if (!options.control.command.empty()) options.command = Command::kControl;
    if (options.state.verb != StateVerb::kNone) options.command = Command::kState;
    if (bash->parsed()) {
        options.command = Command::kCompletion;
        options.completion = bash_completion(app, "farlinkctl");
    }
    return std::nullopt;
}

}  // namespace farlink::ctl
