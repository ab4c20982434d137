// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/security/security_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/farlinkctl/shared/number_options.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::ctl {
namespace {

constexpr int kMostKeyDays = 36'500;
constexpr std::uint64_t kMostLink = std::numeric_limits<std::uint32_t>::max();

std::string check_bundle_endpoint(const std::string &text) {
    return bp::Eid::parse(text) ? "" : "expected an endpoint, such as ipn:10.1; found " + text;
}

CLI::App *add(CLI::App &group, SecurityOptions &options, const char *word, SecurityVerb verb,
              const char *help) {
    CLI::App *const made = group.add_subcommand(word, help);
    made->callback([&options, verb] { options.verb = verb; });
    return made;
}

void add_file(CLI::App &command, SecurityOptions &options, const char *help) {
    command.add_option("file", options.file, help)->type_name(kFile)->required();
}

void add_keys(CLI::App &security, SecurityOptions &options) {
    CLI::App *const keys = security.add_subcommand("keys", "keys of BPSec in key files");
    keys->require_subcommand(1);
    CLI::App *const make = add(*keys, options, "make", SecurityVerb::kKeysMake,
                               "add a random key to a file, which is created if missing");
    add_file(*make, options, "the key file");
    make->add_option("id", options.id, "id of the new key")->required();
    make->add_option("--algorithm", options.algorithm, "algorithm of the key")
        ->check(CLI::IsMember({"hmac-sha256", "hmac-sha384", "hmac-sha512", "aes-128-gcm",
                               "aes-256-gcm", "wrap-hmac", "wrap-aes"}))
        ->capture_default_str();
    make->add_option("--days", options.days,
                     "days for which the key is valid; default: without end")
        ->transform(whole_number("days", 1, kMostKeyDays));
    make->add_option("--use", options.use,
                     "use of the key: sign: only for security sources; verify: only for verifiers "
                     "and acceptors; default: both")
        ->check(CLI::IsMember({"sign", "verify"}));
    CLI::App *const list = add(*keys, options, "list", SecurityVerb::kKeysList,
                               "print the keys of a file or folder, without their secrets");
    add_file(*list, options, "key file, or folder of *.key files");
    CLI::App *const retire =
        add(*keys, options, "retire", SecurityVerb::kKeysRetire,
            "end the validity of a key now, or after --days; then reload the node");
    add_file(*retire, options, "the key file");
    retire->add_option("id", options.id, "id of the key")->required();
    retire->add_option("--days", options.days, "days until the key expires")
        ->transform(whole_number("days", 0, kMostKeyDays));
}

}  // namespace

void add_security_commands(CLI::App &app, SecurityOptions &options) {
    CLI::App *const security = app.add_subcommand("security", "bundle security (BPSec)");
    security->require_subcommand(1);
    add_keys(*security, options);
    CLI::App *const explain = add(*security, options, "explain", SecurityVerb::kExplain,
                                  "print which rules of a configuration apply to a bundle");
    explain->add_option("source", options.source, "source of the bundle: ipn:1.1")
        ->required()
        ->check(check_bundle_endpoint);
    explain->add_option("destination", options.destination, "destination of the bundle: ipn:2.1")
        ->required()
        ->check(check_bundle_endpoint);
    explain->add_option("link", options.link, "number of the link by which it arrives")
        ->transform(whole_number("the number of a link", 0, kMostLink));
    explain->add_option("--config", options.config, "configuration file of the node")
        ->type_name(kFile)
        ->required();
    explain
        ->add_option("--direction", options.direction,
                     "direction of the bundle: in or out; default: both")
        ->check(CLI::IsMember({"in", "out"}));
}

}  // namespace farlink::ctl
