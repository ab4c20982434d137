// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/farlinkctl/completion.hpp"
#include "apps/farlinkctl/node/config_options.hpp"
#include "apps/farlinkctl/shared/command_first.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/node_choice.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::ctl {
namespace {

/// The word in the place of a command that names none; empty for any other error.
std::string unknown_command(const CLI::App &app, const CLI::ParseError &error) {
    const std::vector<std::string> left = app.remaining(true);
    const bool missing =
        std::string_view(error.what()).starts_with("A subcommand is required") && !left.empty();
    return missing && !left.front().starts_with('-') ? left.front() : std::string();
}

}  // namespace

std::optional<int> read_options(int argc, char **argv, Options &options) {
    CLI::App app{"farlinkctl: controls and inspects a farlink node"};
    app.set_version_flag("--version", FARLINK_VERSION);
    app.require_subcommand(1);
    LeadingOptions leading;
    add_leading_options(app, leading);
    add_cert_commands(app, options.cert);
    const CLI::App *const plan = add_plan(app, options.plan);
    add_control_commands(app, options.control);
    add_state_commands(app, options.state);
    const CLI::App *const watch = add_watch(app, options.watch);
    add_config_commands(app, options.control);
    add_import_commands(app, options.imports);
    add_security_commands(app, options.security);
    const CLI::App *const bash =
        command_group(app, "completion", "shell completion of the command line")
            .add_subcommand(
                "bash", "print a completion script for bash: source <(farlinkctl completion bash)");
    app.footer("Exit codes: 0 done, 1 failed, 2 bad usage, 3 a critical alarm is active (alarms).");
    try {
        parse_words(app, argc, argv, kRenamedBundleOptions,
                    [&app](const auto &words) { return command_first(app, words); });
    } catch (const CLI::ParseError &error) {
        if (const std::string unknown = unknown_command(app, error); !unknown.empty()) {
            std::fprintf(stderr, "%s: no such command\n%s\n", unknown.c_str(),
                         "Run with --help for more information.");
            return kExitBadUsage;
        }
        return app.exit(error) == 0 ? kExitClean : kExitBadUsage;
    }
    if (options.cert.verb != CertVerb::kNone) options.command = Command::kCert;
    if (plan->parsed()) options.command = Command::kPlan;
    if (options.control.storage.verb != StorageVerb::kNone) options.command = Command::kStorage;
    if (!options.control.command.empty()) options.command = Command::kControl;
    if (options.state.verb != StateVerb::kNone) options.command = Command::kState;
    if (options.imports.verb != ImportVerb::kNone) options.command = Command::kImport;
    if (watch->parsed()) options.command = Command::kWatch;
    if (options.security.verb != SecurityVerb::kNone) options.command = Command::kSecurity;
    if (bash->parsed()) {
        options.command = Command::kCompletion;
        options.completion = bash_completion(app, "farlinkctl");
    }
    return std::nullopt;
}

}  // namespace farlink::ctl
