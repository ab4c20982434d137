// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/isolation.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "common/bus/wire/wire_hello.hpp"
#include "common/runtime/clock.hpp"
#include "module/control/state/state_file.hpp"

namespace farlink::app {
namespace {

/// A module that died restarts after this time, and after twice the time when it died soon. Bundles
/// flow again within three seconds.
constexpr Duration kFirstBackOff = milliseconds(50);
constexpr Duration kLongestBackOff = seconds(2);
constexpr Duration kSoon = seconds(1);
/// How long the node may take to end; its supervisor has a lower limit.
constexpr seconds kEndLimit{55};

constexpr bus::AgentId kSupervising = bus::AgentId::kScheduler;
/// Has the ledger; its exit code is 1 when the ledger does not balance.
constexpr bus::AgentId kCounting = bus::AgentId::kTelemetry;

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status))
        return std::string("its process was terminated by a signal: ") +
               ::strsignal(WTERMSIG(status));
    return "its process ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Isolation::Isolation(const Options &options, std::size_t instances, bool applications)
    : options_(options),
      children_ended_(io_, SIGCHLD),
      signals_(io_, SIGINT, SIGTERM),
      forwarded_(io_, SIGHUP, SIGUSR1),
      limit_(io_),
      exit_code_(kExitFailed) {
    for (const bus::AgentId module : bus::modules_with(instances, applications))
        children_.emplace_back(io_, std::string(bus::name_of(module)));
}

Isolation::~Isolation() {
    for (const Child &child : children_) {
        if (child.pid <= 0) continue;
        ::kill(child.pid, SIGKILL);
        ::waitpid(child.pid, nullptr, 0);
    }
}

int Isolation::run() {
    if (const std::string wrong = folder_.open(); !wrong.empty()) {
        log_.error("cannot create the folder for the sockets of the bus: {}", wrong);
        return kExitFailed;
    }
    if (!write_start_config()) return kExitFailed;
    wait_for_children();
    wait_for_signal();
    wait_for_forwarded();
    for (Child &child : children_) start(child);
    io_.run();
    return exit_code_;
}

// A module that starts again has the configuration of the node's start, as its supervisor assumes;
// the supervisor sends it what reloads and commands have changed since.
bool Isolation::write_start_config() {
    const std::string wrong = control::replace_file(start_config(), options_.config_text);
    if (!wrong.empty())
        log_.error("cannot write the configuration file for the module processes: {}", wrong);
    return wrong.empty();
}

std::string Isolation::start_config() const {
    return (folder_.path() / "start.json").string();
}

// In a process group of its own: Ctrl-C at a terminal reaches this process only.
void Isolation::start(Child &child) {
    std::vector<std::string> words{"farlink",
                                   "--config",
                                   options_.config_file,
                                   "--modules",
                                   child.module,
                                   "--bus-folder",
                                   folder_.path().string(),
                                   "--parent",
                                   std::to_string(::getpid()),
                                   "--start-config",
                                   start_config()};
    if (options_.print_counters) words.emplace_back("--counters");
    const std::string_view format = to_string(options_.log_format);
    words.insert(words.end(), {"--log-format", std::string(format)});
    if (!options_.log_levels.empty())
        words.insert(words.end(), {"--log-level", options_.log_levels});
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = ::posix_spawn(&child.pid, "/proc/self/exe", nullptr, &attributes,
                                    arguments.data(), ::environ);
    ::posix_spawnattr_destroy(&attributes);
    child.started = monotonic_now();
    if (error == 0) return;
    child.pid = -1;
    log_.error("module {}: cannot start its process: {}; trying again", child.module,
               std::generic_category().message(error));
    restart(child);
}

void Isolation::wait_for_children() {
    children_ended_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        reap();
        wait_for_children();
    });
}

// One signal may stand for several ended processes.
void Isolation::reap() {
    for (Child &child : children_) {
        int status = 0;
        if (child.pid <= 0 || ::waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
        child.pid = -1;
        handle_exit(child, status);
    }
    end_if_all_are_gone();
}

void Isolation::handle_exit(Child &child, int status) {
    const bool by_itself = WIFEXITED(status);
    if (by_itself && child.module == bus::name_of(kSupervising)) {
        // The supervisor has ended the node.
        exit_code_ = unbalanced_ ? kExitFailed : WEXITSTATUS(status);
        begin_stop();
        return kill_all(SIGTERM);
    }
    if (stopping_) {
        if (child.module == bus::name_of(kSupervising)) {
            // It ended before the others got Stop.
            exit_code_ = WTERMSIG(status) == SIGTERM ? kExitClean : kExitFailed;
            return kill_all(SIGTERM);
        }
        const bool clean = by_itself && WEXITSTATUS(status) == kExitClean;
        unbalanced_ |= by_itself && !clean && child.module == bus::name_of(kCounting);
        // A process that is about to end handles no signal any more and dies by it. The exit code
        // of the supervisor covers the others; without a supervisor each of theirs counts.
        const bool well =
            by_itself ? clean || !(alone_ || unbalanced_) : WTERMSIG(status) == SIGTERM;
        if (!well) exit_code_ = kExitFailed;
        return;
    }
    // The supervisor has ended it.
    if (by_itself && WEXITSTATUS(status) == kExitClean) return;
    log_.error("module {}: {}; starting it again", child.module, how_it_ended(status));
    restart(child);
}

void Isolation::restart(Child &child) {
    const bool soon = monotonic_now() - child.started < kSoon;
    child.back_off =
        soon ? std::clamp(2 * child.back_off, kFirstBackOff, kLongestBackOff) : kFirstBackOff;
    child.again.expires_after(child.back_off);
    child.again.async_wait([this, &child](const boost::system::error_code &error) {
        if (!error && !stopping_) start(child);
    });
}

// ---- the end
// -------------------------------------------------------------------------------------

void Isolation::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        handle_signal();
        wait_for_signal();
    });
}

void Isolation::wait_for_forwarded() {
    forwarded_.async_wait([this](const boost::system::error_code &error, int signal) {
        if (error) return;
        forward(signal);
        wait_for_forwarded();
    });
}

// The supervisor reloads the configuration (SIGHUP) or confirms the clock (SIGUSR1) for all
// modules.
void Isolation::forward(int signal) const {
    if (stopping_) return;
    const auto supervising =
        std::ranges::find(children_, bus::name_of(kSupervising), &Child::module);
    if (supervising->pid > 0 && ::kill(supervising->pid, signal) == 0) return;
    log_.warn("{} ignored, since the process of the module {} is not running; repeat the signal",
              signal == SIGHUP ? "SIGHUP" : "SIGUSR1", supervising->module);
}

// The process with the scheduler ends the others in their order. Without it each gets the signal.
void Isolation::handle_signal() {
    if (stopping_) {
        log_.error("stop signal received while the node stops; killing its processes");
        return kill_all(SIGKILL);
    }
    begin_stop();
    const auto supervising =
        std::ranges::find(children_, bus::name_of(kSupervising), &Child::module);
    if (supervising->pid > 0) {
        ::kill(supervising->pid, SIGTERM);
    } else {
        alone_ = true;
        exit_code_ = kExitClean;
        kill_all(SIGTERM);
    }
    end_if_all_are_gone();
}

void Isolation::begin_stop() {
    if (std::exchange(stopping_, true)) return;
    for (Child &child : children_) child.again.cancel();
    limit_.expires_after(kEndLimit);
    limit_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        log_.error("module processes still running {} s after the node began to stop; killing them",
                   kEndLimit.count());
        kill_all(SIGKILL);
    });
}

void Isolation::kill_all(int signal) const {
    for (const Child &child : children_)
        if (child.pid > 0) ::kill(child.pid, signal);
}

void Isolation::end_if_all_are_gone() {
    if (stopping_ &&
        std::ranges::all_of(children_, [](const Child &child) { return child.pid <= 0; }))
        io_.stop();
}

}  // namespace farlink::app
