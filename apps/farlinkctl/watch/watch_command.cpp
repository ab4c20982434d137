// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/watch/watch_command.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/farlinkctl/shared/number_options.hpp"
#include "apps/farlinkctl/shared/stop_signals.hpp"
#include "apps/farlinkctl/shared/wait_for_reader.hpp"
#include "apps/farlinkctl/watch/watch_print.hpp"
#include "apps/shared/control/local_node.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/base/seconds.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/history/bundle_watch.hpp"
#include "common/history/file/history_follower.hpp"
#include "common/history/json/past_bundle_json.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kPollInterval = milliseconds(200);
/// Records of each module in one look: what is beyond waits in the ring, and is missed when it is
/// overwritten there. This bounds the work of a watcher.
constexpr std::size_t kMostAtOnce = 50'000;
constexpr const char *kUsualConfig = "/etc/farlink/farlink.json";
constexpr std::uint64_t kLongestWatchSeconds = 100'000'000;

Result<history::WatchRules, std::string> rules_of(const WatchOptions &options) {
    auto rules = history::watch_rules(
        {options.pattern, options.source, options.destination, options.outcome});
    if (!rules) return rules;
    rules->sample = options.sample;
    rules->per_second = options.per_second;
    rules->most = options.count;
    return rules;
}

/// Of a configuration; empty: it keeps no history.
Result<std::string, std::string> folder_in(const std::string &config_file) {
    const auto config = config::load_node_config(config_file);
    if (!config) return fail(config.error().to_string());
    const config::HistoryConfig &history = config->history;
    return history.enabled && history.bundles > 0 ? history.bundles_folder : std::string();
}

/// Of the installed node, otherwise of the only one that this user runs.
Result<std::string, std::string> folder_of_local_node() {
    std::error_code error;
    if (std::filesystem::is_regular_file(kUsualConfig, error)) return folder_in(kUsualConfig);
    const std::vector<std::string> folders = sockets_of_own_nodes("/proc", folder_in);
    if (folders.size() == 1) return folders.front();
    if (folders.empty())
        return fail("no running node with a bundle history found: no such file: " +
                    std::string(kUsualConfig) +
                    ", and this user runs no node with a bundle history; select one by --config or "
                    "--history");
    return fail("several nodes are running; select one:" + choices_text(folders, "--history"));
}

Result<std::string, std::string> folder_of(const WatchOptions &options) {
    if (!options.folder.empty()) return options.folder;
    auto folder = options.config.empty() ? folder_of_local_node() : folder_in(options.config);
    if (folder && folder->empty())
        return fail(
            std::string("the node has no bundle history (`history.enabled`, `history.bundles`)"));
    return folder;
}

/// What was not shown, to standard error: once a second while that grows.
class Losses {
public:
    void note(std::uint64_t missed, std::uint64_t beyond_limit, TimePoint now) {
        missed_ += missed;
        const bool grew = missed_ + beyond_limit > noted_;
        if (!grew || now < next_) return;
        next_ = now + seconds(1);
        noted_ = missed_ + beyond_limit;
        std::fprintf(stderr,
                     "farlinkctl: bundles not shown so far: %llu above --per-second, %llu missed\n",
                     static_cast<unsigned long long>(beyond_limit),
                     static_cast<unsigned long long>(missed_));
    }
    [[nodiscard]] std::uint64_t missed() const { return missed_; }

private:
    std::uint64_t missed_ = 0;
    std::uint64_t noted_ = 0;
    TimePoint next_{};
};

void print(bool json, const history::FoundBundle &found) {
    std::puts(
        json ? history::to_json(found).dump(-1, ' ', false, Json::error_handler_t::replace).c_str()
             : watch_line(found).c_str());
}

void print_summary(bool json, const history::BundleWatch &watch, const Losses &losses) {
    if (json)
        std::puts(Json{{"type", "summary"},
                       {"seen", watch.seen()},
                       {"matched", watch.matched()},
                       {"shown", watch.shown()},
                       {"beyondLimit", watch.beyond_limit()},
                       {"missed", losses.missed()}}
                      .dump()
                      .c_str());
    std::fflush(stdout);
}

}  // namespace

CLI::App *add_watch(CLI::App &app, WatchOptions &options) {
    CLI::App *const watch = app.add_subcommand(
        "watch", "print bundles when they leave a node, are delivered, expire or are deleted");
    auto *where =
        watch->add_option_group("node", "selection of the node; default: the node on this machine");
    where
        ->add_option("--config", options.config,
                     "configuration of the node, with the folder of its bundle history")
        ->type_name(kFile);
    where->add_option("--history", options.folder, "folder of the bundle history")
        ->type_name(kFolder);
    where->require_option(0, 1);
    watch->add_option("pattern", options.pattern,
                      "endpoint or pattern of source or destination: ipn:20.1, ipn:20.*");
    watch->add_option("--source", options.source, "endpoint or pattern of the source");
    watch->add_option("--destination", options.destination,
                      "endpoint or pattern of the destination");
    watch->add_option("--outcome", options.outcome, "only bundles with this outcome")
        ->check(CLI::IsMember({"sent", "delivered", "expired", "deleted", "refused"}));
    watch
        ->add_option("--sample", options.sample,
                     "print one of this number of bundles; all nodes print the same bundles")
        ->transform(amount("bundles", 1));
    watch
        ->add_option("--per-second", options.per_second,
                     "maximum number of lines per second; 0: no limit")
        ->transform(amount("lines"))
        ->capture_default_str();
    watch->add_option("--count", options.count, "end after this number of bundles")
        ->transform(amount("bundles", 1));
    watch->add_option("--seconds", options.seconds, "end after this time, seconds")
        ->transform(seconds_from_0("seconds", kLongestWatchSeconds));
    watch->add_flag("--json", options.json, "print a line of JSON for each bundle and a summary");
    return watch;
}

int run_watch(const WatchOptions &options) {
    auto rules = rules_of(options);
    if (!rules) {
        std::fprintf(stderr, "farlinkctl: %s\n", rules.error().c_str());
        return kExitBadUsage;
    }
    const auto folder = folder_of(options);
    if (!folder) return failed(folder.error());
    if (!std::filesystem::is_directory(*folder)) return failed(*folder + ": is not a folder");

    history::HistoryFollower follower(*folder);
    history::BundleWatch watch(std::move(*rules));
    Losses losses;
    StopSignals stop;
    const TimePoint end =
        options.seconds > 0 ? monotonic_now() + from_seconds(options.seconds) : kNever;
    std::fprintf(stderr, "watching %s\n", folder->c_str());
    // Signals are noticed at the end of a wait; what ended before them is still shown.
    while (!watch.done() && monotonic_now() < end && !stop.asked() &&
           wait_for_reader(kPollInterval)) {
        std::vector<history::FoundBundle> found;
        const std::uint64_t missed = follower.poll(kMostAtOnce, found);
        for (const history::FoundBundle *each : watch.select(found, monotonic_now()))
            print(options.json, *each);
        std::fflush(stdout);
        losses.note(missed, watch.beyond_limit(), monotonic_now());
    }
    print_summary(options.json, watch, losses);
    return kExitClean;
}

}  // namespace farlink::ctl
