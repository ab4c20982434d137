// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/options.hpp"

#include <CLI/CLI.hpp>

#include "common/runtime/log/journal.hpp"
#include "common/runtime/log/log_levels.hpp"

namespace farlink::app {
namespace {

std::string check_levels(const std::string &text) {
    const auto levels = parse_log_levels(text, LogLevel::kInfo);
    return levels ? std::string() : levels.error();
}

/// The names are those of HDTN's program.
void add_hdtn_options(CLI::App &app, CLI::Option *config, HdtnRequest &hdtn) {
    CLI::Option *const file = app.add_option(
        "--hdtn-config-file", hdtn.config_file,
        "configuration of HDTN; it is converted and written to the folder farlink-hdtn-NODE");
    file->excludes(config);
    app.add_option("--contact-plan-file", hdtn.plan_file, "contact plan of HDTN")->needs(file);
    app.add_flag("--use-unix-timestamp", hdtn.unix_timestamps, "times in the plan are Unix seconds")
        ->needs(file);
    app.add_flag("--trust-like-hdtn", hdtn.trust_like_hdtn,
                 "accept peers without a proof of their node id, as HDTN does")
        ->needs(file);
    app.callback([config, file] {
        if (config->count() + file->count() == 0)
            throw CLI::RequiredError("--config or --hdtn-config-file");
    });
}

}  // namespace

std::optional<int> read_options(int argc, char **argv, Options &options) {
    CLI::App app{"farlink: a delay-tolerant-networking router (BPv6, BPv7)"};
    app.set_version_flag("--version", FARLINK_VERSION);
    CLI::Option *const config =
        app.add_option("--config", options.config_file, "configuration file of the node, JSON");
    add_hdtn_options(app, config, options.hdtn);
    app.add_option("--modules", options.modules,
                   "modules that this process runs, separated by commas: ingress, egress, storage, "
                   "scheduler, router, telemetry, applications (default: all)");
    app.add_flag(
        "--isolate", options.isolate,
        "run each module in its own process, and start the process again if it ends unexpectedly");
    // For the processes that --isolate starts.
    app.add_option("--bus-folder", options.bus_folder)->group("");
    app.add_option("--parent", options.parent)->group("");
    app.add_option("--start-config", options.start_config)->group("");
    app.add_flag("--check", options.check_only,
                 "check the configuration and the contact plan, then exit (exit code 2: errors)");
    app.add_flag("--counters", options.print_counters,
                 "print the node's counters every second, one JSON object per line");
    std::string format = "auto";
    app.add_option(
           "--log-format", format,
           "format of the log on stderr: text; json: one object per line; syslog: text after a "
           "severity such as <4>; auto: syslog if stderr is the journal, otherwise text")
        ->check(CLI::IsMember({"auto", "text", "json", "syslog"}))
        ->capture_default_str();
    app.add_option("--log-level", options.log_levels,
                   "lowest level that is logged, instead of `logLevel`; single loggers can have "
                   "their own level: info,egress=debug,ltp=trace")
        ->check(CLI::Validator(check_levels, ""));
    app.footer(
        "Exit codes: 0 ended on request, 1 failed, 2 bad configuration or usage, 3 another process "
        "of the node has another version or configuration.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitClean : kExitBadConfiguration;
    }
    options.log_format = parse_log_format(format).value_or(logs_to_journal() ? LogFormat::kSyslog
                                                                             : LogFormat::kText);
    return std::nullopt;
}

}  // namespace farlink::app
