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
        "a configuration of HDTN; it is converted into the folder farlink-hdtn-NODE");
    file->excludes(config);
    app.add_option("--contact-plan-file", hdtn.plan_file, "the contact plan of HDTN")->needs(file);
    app.add_flag("--use-unix-timestamp", hdtn.unix_timestamps,
                 "the times of that plan are Unix seconds")
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
        app.add_option("--config", options.config_file, "the node's configuration (JSON)");
    add_hdtn_options(app, config, options.hdtn);
    app.add_option("--modules", options.modules,
                   "the modules that this process runs, with commas between them: ingress, egress, "
                   "storage, scheduler, router, telemetry, applications (default: all)");
    app.add_flag("--isolate", options.isolate,
                 "run each module as a process of its own, and start it again when it dies");
    // For the processes that --isolate starts.
    app.add_option("--bus-folder", options.bus_folder)->group("");
    app.add_option("--parent", options.parent)->group("");
    app.add_option("--start-config", options.start_config)->group("");
    app.add_flag("--check", options.check_only,
                 "check the configuration and its contact plan, then end (exit code 2: errors)");
    app.add_flag("--counters", options.print_counters,
                 "print the node's counters once a second, one JSON object a line");
    std::string format = "auto";
    app.add_option("--log-format", format,
                   "how the log is written to stderr: text; json: one object a line; syslog: "
                   "text behind a severity such as <4>; auto: syslog where stderr is the journal, "
                   "otherwise text")
        ->check(CLI::IsMember({"auto", "text", "json", "syslog"}))
        ->capture_default_str();
    app.add_option("--log-level", options.log_levels,
                   "lowest level that is logged, instead of `logLevel`; single loggers may "
                   "have their own: info,egress=debug,ltp=trace")
        ->check(CLI::Validator(check_levels, ""));
    app.footer(
        "Exit codes: 0 ended on request, 1 failed, 2 bad configuration or usage, 3 another process "
        "of the node is of another version or configuration.");
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
