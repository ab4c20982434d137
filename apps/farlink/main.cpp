// SPDX-License-Identifier: Apache-2.0
// `farlink`: reads its configuration, starts the modules, and ends at a stop signal.
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/farlink/address_review.hpp"
#include "apps/farlink/file_review.hpp"
#include "apps/farlink/hdtn_start.hpp"
#include "apps/farlink/isolation.hpp"
#include "apps/farlink/module_choice.hpp"
#include "apps/farlink/node.hpp"
#include "apps/farlink/options.hpp"
#include "apps/farlink/start_limits.hpp"
#include "cla/factory/link_factory.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/config/review/kernel_buffers.hpp"
#include "common/config/review/ltp_review.hpp"
#include "common/config/review/next_hop_review.hpp"
#include "common/config/review/unused_settings.hpp"
#include "common/history/file/open_history.hpp"
#include "common/plan/contact_plan.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/log.hpp"
#include "common/runtime/log/log_format.hpp"
#include "common/runtime/log/log_levels.hpp"
#include "common/runtime/process/current_work.hpp"
#include "common/runtime/process/process_limits.hpp"
#include "module/control/process/signal_thread.hpp"
#include "module/control/state/contact_plan_store.hpp"
#include "module/storage/store/store_removal.hpp"
#include "module/storage/store/store_review.hpp"
#include "module/storage/store/store_room.hpp"

namespace farlink::app {
namespace {

/// The checks of the convergence layers: TLS files, and TLS in this build.
bool links_are_usable(const config::NodeConfig &config, const ModuleChoice &choice) {
    bool usable = true;
    const auto check = [&](const auto &link, const char *list, std::size_t place) {
        const auto error = cla::check_link(link);
        if (!error) return;
        usable = false;
        std::fprintf(stderr, "%s[%zu]: %s\n", list, place, error->c_str());
    };
    if (choice.has_any(bus::AgentId::kIngress))
        for (std::size_t i = 0; i < config.inducts.size(); ++i)
            check(config.inducts[i], "inductsConfig", i);
    if (choice.has_any(bus::AgentId::kEgress))
        for (std::size_t i = 0; i < config.outducts.size(); ++i)
            check(config.outducts[i], "outductsConfig", i);
    return usable;
}

/// The files and folders that the configuration names.
bool files_are_usable(const config::NodeConfig &config, const ModuleChoice &choice) {
    const std::vector<std::string> wrong = review_files(config, choice);
    for (const std::string &line : wrong) std::fprintf(stderr, "%s\n", line.c_str());
    return wrong.empty();
}

void complain_of(const std::string &shortage) {
    std::fprintf(stderr, "cannot start: %s\n", shortage.c_str());
}

/// What a start finds later: limits of the process, and the state and the store of another node or
/// of a newer version.
bool state_is_usable(const config::NodeConfig &config, const ModuleChoice &choice,
                     const std::optional<std::string> &shortage) {
    bool usable = !shortage;
    if (shortage) complain_of(*shortage);
    if (choice.has(bus::AgentId::kScheduler)) {
        const std::string wrong = control::ContactPlanStore(config).review();
        std::fputs(wrong.c_str(), stderr);
        usable &= wrong.empty();
    }
    std::vector<std::string> lines = history::review_history(config);
    if (choice.has(bus::AgentId::kStorage))
        for (std::string &line : storage::review_store(config.storage, config.node))
            lines.push_back(std::move(line));
    for (const std::string &line : lines) std::fprintf(stderr, "%s\n", line.c_str());
    return usable && lines.empty();
}

/// To which the kernel lets the receive buffer of a connection grow, in octets; 0: not known.
std::uint64_t largest_receive_buffer() {
    std::ifstream limits("/proc/sys/net/ipv4/tcp_rmem");
    std::uint64_t least = 0;
    std::uint64_t at_first = 0;
    std::uint64_t most = 0;
    return limits >> least >> at_first >> most ? most : 0;
}

/// The lines of `--check` for a valid configuration.
void print_review(const config::NodeConfig &config, const config::ContactPlan *plan) {
    for (const std::string &line : config::review_ltp(config, plan))
        std::printf("%s\n", line.c_str());
    for (const std::string &line : config::review_next_hops(config, plan))
        std::printf("warning: %s\n", line.c_str());
    for (const std::string &line : config::review_unused_settings(config))
        std::printf("warning: %s\n", line.c_str());
    for (const std::string &line : config::review_kernel_buffers(config, largest_receive_buffer()))
        std::printf("warning: %s\n", line.c_str());
    if (config.security && config.security->rules.empty())
        std::printf(
            "warning: security.rules: no rules; all bundles pass without security processing\n");
}

/// What `--check` finds in the system and a start may find otherwise.
void print_warnings(const config::NodeConfig &config, const ModuleChoice &choice) {
    for (const std::vector<std::string> &lines :
         {storage::review_room(config.storage, config.stop_reserve_bytes()), warn_of_files(config),
          warn_of_certificates(config), warn_of_addresses(config, choice)})
        for (const std::string &line : lines) std::printf("warning: %s\n", line.c_str());
}

/// ZeroMQ allocates and frees memory for each frame from another process: keeps the C library from
/// returning it to the system each time.
void keep_freed_memory() {
    constexpr int kLargest = 32 * 1024 * 1024;
    ::mallopt(M_MMAP_THRESHOLD, kLargest);
    ::mallopt(M_TRIM_THRESHOLD, 4 * kLargest);
    ::mallopt(M_TOP_PAD, kLargest / 4);
}

void warn_of_next_hops(const config::NodeConfig &config, const control::PlanStore &plan) {
    const Logger log("farlink");
    config::ContactPlan contacts;
    if (plan.plan())
        for (const config::PlanContact &contact : *plan.plan())
            if (contact.source == config.node) contacts.contacts.push_back(contact);
    for (const std::string &line : config::review_next_hops(config, &contacts))
        log.warn("{}", line);
}

/// The records of another node stay as they are.
bool is_own_history(const config::NodeConfig &config) {
    const std::vector<std::string> lines = history::review_history(config);
    for (const std::string &line : lines) Logger("farlink").error("{}", line);
    return lines.empty();
}

/// The node has ended, and no module has the store open.
void delete_store(const config::StorageConfig &storage) {
    if (!storage.delete_on_exit) return;
    for (const std::string &line : storage::remove_store(storage))
        Logger("farlink").error("{}", line);
}

std::string open_plan(control::ContactPlanStore &plan) {
    const CurrentWork work("reading the contact plan");
    return plan.open(read_wall_clock().dtn_ms);
}

int run(const config::NodeConfig &config, const Options &options, const ModuleChoice &choice,
        bus::BusTopology topology) {
    const CurrentWork work("starting the node");
    control::ContactPlanStore plan(config);
    const bool keeps_plan = choice.has(bus::AgentId::kScheduler);
    if (const std::string wrong = keeps_plan ? open_plan(plan) : std::string(); !wrong.empty()) {
        std::fputs(wrong.c_str(), stderr);
        return kExitBadConfiguration;
    }
    if (keeps_plan) warn_of_next_hops(config, plan);
    // The alarms of a node on several machines do not cover the files of this one.
    if (choice.has(bus::AgentId::kIngress))
        for (const std::string &line : warn_of_certificates(config))
            Logger("farlink").warn("{}", line);
    if (!choice.all()) keep_freed_memory();
    const control::SignalThread signals;
    const int code = Node(config, plan, options, choice, std::move(topology)).run();
    if (code == kExitClean && choice.has(bus::AgentId::kStorage)) delete_store(config.storage);
    // The parent made the folder, and was killed before it could remove it.
    if (keeps_plan && options.parent > 0 && ::getppid() != options.parent) {
        std::error_code ignored;
        std::filesystem::remove_all(options.bus_folder, ignored);
    }
    return code;
}

/// This process ends when its parent ends. False: the parent has ended already.
bool end_with(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    return ::getppid() == parent;
}

/// Each module listens in the folder, under its name.
void use_folder(config::BusConfig &bus, const std::string &folder) {
    for (std::size_t i = 0; i < bus.addresses.size(); ++i)
        bus.addresses[i] = "ipc://" + folder + "/" + std::string(config::kModuleNames[i]);
}

/// The command line overrides the configuration; both have been checked.
void use_log(const Options &options, const config::NodeConfig &config) {
    set_log_format(options.log_format);
    const LogLevel all = parse_log_level(config.log_level).value_or(LogLevel::kInfo);
    set_log_levels(parse_log_levels(options.log_levels, all).value_or(LogLevels{all, {}}));
}

int refuse_modules(const std::string &why) {
    std::fprintf(stderr, "--modules: %s\n", why.c_str());
    return kExitBadConfiguration;
}

/// The file is read once: a reload compares it with its text.
Result<config::NodeConfig, config::ConfigErrors> load_config(Options &options) {
    const bool restarted = !options.start_config.empty();
    auto text = config::read_text_file(restarted ? options.start_config : options.config_file);
    if (!text) return fail(config::ConfigErrors{options.config_file, {text.error()}});
    options.config_text = std::move(*text);
    auto config = config::parse_node_config(
        options.config_text, std::filesystem::path(options.config_file).parent_path().string());
    if (!config) config.error().source = options.config_file;
    return config;
}

int start(Options options) {
    const CurrentWork work("reading the configuration");
    if (options.parent > 0 && !end_with(options.parent)) return kExitFailed;
    auto choice = read_modules(options.modules);
    if (!choice) return refuse_modules(choice.error());
    if (options.isolate && !choice->everything) {
        std::fprintf(stderr,
                     "--isolate: cannot be used with --modules, since it starts all modules; leave "
                     "--modules out\n");
        return kExitBadConfiguration;
    }
    ScratchFolder scratch;
    if (const auto code = convert_hdtn(options, scratch)) return *code;
    auto config = load_config(options);
    if (!config) {
        std::fputs(config.error().to_string().c_str(), stderr);
        return kExitBadConfiguration;
    }
    for (const std::string &warning : config::old_keys_in(options.config_file))
        std::fprintf(stderr, "%s: warning: %s\n", options.config_file.c_str(), warning.c_str());
    if (const auto limited =
            choice->limit_to(config->threads.instances, config->applications.wanted());
        !limited)
        return refuse_modules(limited.error());
    std::optional<config::ContactPlan> checked_plan;
    if (options.check_only && !config->contact_plan_file.empty()) {
        auto loaded = config::load_contact_plan(config->contact_plan_file, read_wall_clock().dtn_ms,
                                                config->routing.nodes);
        if (!loaded) {
            std::fputs(loaded.error().to_string().c_str(), stderr);
            return kExitBadConfiguration;
        }
        checked_plan = std::move(*loaded);
    }
    const bool links_good = links_are_usable(*config, *choice);
    // One process of several fails later, when the others are connected: they end as well.
    const bool checks_files = options.check_only || choice->everything;
    const bool files_good = !checks_files || files_are_usable(*config, *choice);
    if (!files_good || !links_good) return kExitBadConfiguration;
    if (!options.bus_folder.empty()) use_folder(config->bus, options.bus_folder);
    auto topology = topology_of(*config, *choice);
    if (!topology) {
        std::fputs(topology.error().c_str(), stderr);
        return kExitBadConfiguration;
    }
    const auto shortage = find_shortage_of(*config, *choice, options.isolate);
    if (options.check_only) {
        if (!state_is_usable(*config, *choice, shortage)) return kExitBadConfiguration;
        print_review(*config, checked_plan ? &*checked_plan : nullptr);
        print_warnings(*config, *choice);
        std::printf("%s: ok\n", options.config_file.c_str());
        return kExitClean;
    }
    if (shortage) {
        complain_of(*shortage);
        return kExitFailed;
    }
    use_log(options, *config);
    if (!is_own_history(*config)) return kExitFailed;
    if (options.isolate)
        return Isolation(options, config->threads.instances, config->applications.wanted()).run();
    return run(*config, options, *choice, std::move(*topology));
}

}  // namespace
}  // namespace farlink::app

int main(int argc, char **argv) {
    // Without this the C library reserves 64 MiB of addresses for each thread: 400 MB that an idle
    // node does not use, and that count where memory is limited. Steady work allocates nothing.
    ::mallopt(M_ARENA_MAX, 2);
    // Pieces of large bundles come and go in many sizes. Their memory returns to the system, or
    // what lies between them would keep several times of it.
    ::mallopt(M_MMAP_THRESHOLD, 2 * 1024 * 1024);
    // The limit of file sizes is an error of the write, and does not end the node.
    ::signal(SIGXFSZ, SIG_IGN);  // NOLINT(concurrency-mt-unsafe): before any other thread
    // Otherwise a process of --isolate has the name of /proc/self/exe.
    ::prctl(PR_SET_NAME, "farlink");
    farlink::end_in_words();
    farlink::app::Options options;
    if (const auto code = farlink::app::read_options(argc, argv, options)) return *code;
    return farlink::app::start(std::move(options));
}
