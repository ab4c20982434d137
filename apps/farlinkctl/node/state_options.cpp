// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/state_options.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/farlinkctl/shared/number_options.hpp"
#include "common/runtime/log/log_levels.hpp"

namespace farlink::ctl {
namespace {

constexpr std::uint64_t kMostEvents = 1000;
constexpr std::uint64_t kMostSeconds = 3600;
constexpr double kShortestInterval = 0.1;

CLI::App *add(CLI::App &group, StateOptions &options, const char *word, StateVerb verb,
              const char *help) {
    CLI::App *const made = group.add_subcommand(word, help);
    add_node_choice(*made, options.node);
    made->add_flag("--json", options.json, "the node's reply as one line of JSON");
    made->callback([&options, verb] { options.verb = verb; });
    return made;
}

void add_events(CLI::App &app, StateOptions &options) {
    CLI::App *const events =
        add(app, options, "events", StateVerb::kEvents, "what has happened to a running node");
    events->add_flag("-f,--follow", options.follow, "go on, and print what happens as it does");
    events->add_option("-n,--limit", options.limit, "the last ones, at most so many")
        ->transform(whole_number("events", 1, kMostEvents))
        ->capture_default_str();
}

void add_history(CLI::App &app, StateOptions &options) {
    CLI::App *const history = add(app, options, "history", StateVerb::kHistory,
                                  "what has come and gone in the last hour, by second");
    history->add_option("--seconds", options.seconds, "how far back")
        ->transform(whole_number("seconds", 1, kMostSeconds))
        ->capture_default_str();
    history->add_option("--series", options.series,
                        "only these, with commas between them: in,out,stored,link.2.out");
}

void add_log(CLI::App &app, StateOptions &options) {
    CLI::App &log = command_group(app, "log", "what a running node logs");
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
    level->add_option("name", options.name, "a level for all loggers, or the name of one")
        ->check(CLI::IsMember(names));
    level->add_option("level", options.level, "its level")->check(CLI::IsMember(levels));
}

}  // namespace

void add_state_commands(CLI::App &app, StateOptions &options) {
    add(app, options, "links", StateVerb::kLinks,
        "the links of a running node: state, rate, and what they carry now");
    add(app, options, "custody", StateVerb::kCustody,
        "bundles that a running node is custodian of, and its custody signals");
    add_events(app, options);
    add_history(app, options);
    add(app, options, "config", StateVerb::kConfig,
        "the configuration that a running node has read, without what leads to secrets");
    add(app, options, "metrics", StateVerb::kMetrics,
        "all counters of a running node, in Prometheus' text format");
    add(app, options, "show", StateVerb::kShow, "what the HTTP API shows, as JSON")
        ->add_option("path", options.path, "one of its paths, such as /api/v1/state")
        ->required();
    CLI::App *const top = add(app, options, "top", StateVerb::kTop,
                              "a running node on the terminal: links, storage and events, each "
                              "second; s sorts, q quits");
    top->add_option("--interval", options.interval_s, "seconds between two looks")
        ->check(CLI::Range(kShortestInterval, static_cast<double>(kMostSeconds)))
        ->capture_default_str();
    add_log(app, options);
}

}  // namespace farlink::ctl
