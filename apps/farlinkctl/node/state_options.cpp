// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/state_options.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/farlinkctl/shared/number_options.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/runtime/log/log_levels.hpp"

namespace farlink::ctl {
namespace {

constexpr std::uint64_t kMostEvents = 10'000;
constexpr std::uint64_t kMostSeconds = 3600;
constexpr std::uint64_t kMostStep = 86'400;
constexpr double kShortestInterval = 0.1;

CLI::App *add(CLI::App &group, StateOptions &options, const char *word, StateVerb verb,
              const char *help) {
    CLI::App *const made = group.add_subcommand(word, help);
    add_node_choice(*made, options.node);
    made->add_flag("--json", options.json, "print the node's reply as one line of JSON");
    made->callback([&options, verb] { options.verb = verb; });
    return made;
}

/// A period on disk, and its form.
void add_period(CLI::App &command, StateOptions &options) {
    command.add_option("--from", options.from, "start of the period: 2026-11-22T15:00:00Z");
    command.add_option("--to", options.to, "end of the period (default: now)");
    command.add_flag("--csv", options.csv, "print comma-separated values")
        ->excludes(command.get_option("--json"));
}

void add_events(CLI::App &app, StateOptions &options) {
    CLI::App *const events =
        add(app, options, "events", StateVerb::kEvents, "print the last events of a running node");
    CLI::Option *const follow =
        events->add_flag("-f,--follow", options.follow, "keep running and print new events");
    events
        ->add_option("-n,--limit", options.limit,
                     "maximum number of events (default: the last 50; with --from or --to the "
                     "first 10000 of the period)")
        ->transform(amount("events", 1, kMostEvents));
    add_period(*events, options);
    for (const char *other : {"--from", "--to", "--csv"})
        follow->excludes(events->get_option(other));
}

void add_history(CLI::App &app, StateOptions &options) {
    CLI::App *const history =
        add(app, options, "history", StateVerb::kHistory,
            "print rates: of the last hour per second, or of an earlier period from disk");
    CLI::Option *const last =
        history->add_option("--seconds", options.seconds, "length of the period")
            ->transform(whole_number("seconds", 1, kMostSeconds))
            ->capture_default_str();
    add_period(*history, options);
    history
        ->add_option(
            "--step", options.step_s,
            "interval of a point, seconds, a multiple of 10 (default: depends on the period)")
        ->transform(whole_number("seconds", 1, kMostStep));
    for (const char *other : {"--from", "--to", "--step"})
        last->excludes(history->get_option(other));
    history->add_option("--series", options.series,
                        "series to print, separated by commas: in,out,stored,link.2.out");
}

void add_log(CLI::App &app, StateOptions &options) {
    CLI::App &log = command_group(app, "log", "log levels of a running node");
    CLI::App *const level =
        add(log, options, "level", StateVerb::kLogLevel,
            "print the level of each logger, or change it in all processes of the node");
    level->footer("Examples: `farlinkctl log level`, `log level debug`, `log level ltp trace`.");
    std::vector<std::string> levels;
    for (int each = 0; each <= static_cast<int>(LogLevel::kOff); ++each)
        levels.emplace_back(to_string(static_cast<LogLevel>(each)));
    std::vector<std::string> names = levels;
    names.emplace_back("all");
    names.insert(names.end(), kLoggerNames.begin(), kLoggerNames.end());
    level->add_option("name", options.name, "new level of all loggers, or the name of a logger")
        ->check(CLI::IsMember(names));
    level->add_option("level", options.level, "new level of that logger")
        ->check(CLI::IsMember(levels));
}

}  // namespace

void add_state_commands(CLI::App &app, StateOptions &options) {
    add(app, options, "links", StateVerb::kLinks,
        "print the links of a running node: state and rates");
    add(app, options, "endpoints", StateVerb::kEndpoints,
        "print the endpoints of applications of a running node, and the bundles that wait for "
        "them");
    add(app, options, "custody", StateVerb::kCustody,
        "print bundles in custody of a running node, and counters of custody signals");
    add(app, options, "alarms", StateVerb::kAlarms,
        "print the alarms of a running node; exit code 3 while a critical one is active");
    add_events(app, options);
    add_history(app, options);
    CLI::App *const config =
        add(app, options, "config", StateVerb::kConfig,
            "print the configuration of a running node, without the paths of secret files");
    // It has commands of its own, which change it.
    config->callback([&options, config] {
        if (config->get_subcommands().empty()) options.verb = StateVerb::kConfig;
    });
    add(app, options, "metrics", StateVerb::kMetrics,
        "print all counters of a running node in the text format of Prometheus");
    add(app, options, "show", StateVerb::kShow, "print a path of the HTTP API as JSON")
        ->add_option("path", options.path, "path, such as /api/v1/state")
        ->required();
    CLI::App *const top = add(app, options, "top", StateVerb::kTop,
                              "show links, storage and events of a running node, redrawn every "
                              "second; s sorts, q quits");
    top->add_option("--interval", options.interval_s, "time between updates, seconds")
        ->check(CLI::Range(kShortestInterval, static_cast<double>(kMostSeconds)))
        ->capture_default_str();
    add_log(app, options);
}

}  // namespace farlink::ctl
