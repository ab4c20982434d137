// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/sending.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include "common/files/names.hpp"

namespace farlink::bpsendfile {
namespace {

constexpr std::size_t kSources = 4096;
/// ADUs of a sender under way, and as many to come.
constexpr std::size_t kAdusTogether = 4;
constexpr std::size_t kAdusTogetherBytes = std::size_t{16} << 20;
constexpr std::chrono::seconds kProgress{1};
/// An interruption is noticed within it.
constexpr std::chrono::milliseconds kLook{100};

/// Fewer where they are large.
std::size_t together_of(std::uint64_t piece_bytes) {
    const auto fit = static_cast<std::size_t>(kAdusTogetherBytes / piece_bytes);
    return std::clamp<std::size_t>(fit, 1, kAdusTogether);
}

std::size_t buffers_of(const Arguments &arguments) {
    return static_cast<std::size_t>(2 * arguments.connections * together_of(arguments.piece_bytes) +
                                    2 * arguments.parallel);
}

}  // namespace

Sending::Sending(const Arguments &arguments, const Scanner &scanner,
                 std::vector<client::Endpoint> &endpoints, Ledger &ledger,
                 const messages::Interruption &interruption)
    : arguments_(arguments),
      scanner_(scanner),
      endpoints_(endpoints),
      ledger_(ledger),
      interruption_(interruption),
      queues_(kSources, buffers_of(arguments)),
      task_{.destination = arguments.destination,
            .with = options_of(arguments),
            .timeout = messages::limit_of(arguments.timeout_s),
            .together = together_of(arguments.piece_bytes)},
      quiet_(messages::milliseconds_of(arguments.quiet_s)),
      progress_(arguments.progress || ::isatty(STDERR_FILENO) == 1) {}

int Sending::run() {
    std::vector<std::jthread> readers;
    std::vector<std::jthread> senders;
    for (std::uint64_t made = 0; made < arguments_.parallel; ++made)
        readers.emplace_back([&queues = queues_, &ledger = ledger_,
                              reader_bytes = arguments_.piece_bytes, watched = arguments_.watch] {
            FileReader(queues, ledger, reader_bytes, watched).run();
        });
    for (client::Endpoint &endpoint : endpoints_)
        senders.emplace_back([&endpoint, &task = task_, &queues = queues_, &ledger = ledger_,
                              &interruption = interruption_] {
            ParcelSender(endpoint, task, queues, ledger, interruption).run();
        });
    // Ends what waits, and shows how far it is, while this thread waits for the others.
    const std::jthread watchman([this](const std::stop_token &stop) { keep_watch(stop); });
    if (arguments_.watch)
        watch();
    else
        send_once();
    queues_.sources.close();
    readers.clear();
    queues_.parcels.close();
    senders.clear();
    if (interruption_.asked() && !arguments_.watch) ledger_.set_error("interrupted");
    return ledger_.error().empty() && ledger_.totals().failed == 0 ? messages::kExitOk
                                                                   : messages::kExitFailed;
}

void Sending::keep_watch(const std::stop_token &stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock hold(mutex);
    auto shown = Clock::now();
    while (!ended.wait_for(hold, stop, kLook, [&stop] { return stop.stop_requested(); })) {
        if (ends()) queues_.abandon();
        if (!progress_ || Clock::now() - shown < kProgress) continue;
        shown = Clock::now();
        ledger_.show_progress();
    }
}

bool Sending::ends() const {
    return interruption_.asked() || !ledger_.error().empty();
}

void Sending::send_once() {
    const Finder finder{
        .on_file = [this](const Source &source,
                          const files::FileVersion &) { return queues_.sources.push(source); },
        .on_folder =
            [this](const Source &source) {
                return source.name.empty() || queues_.sources.push(source);
            },
        .on_other = [this](const std::string &name,
                           const std::string &why) { ledger_.skip(name, why); }};
    [[maybe_unused]] const bool ended = scanner_.scan(finder);
}

void Sending::watch() {
    const auto interval = messages::milliseconds_of(arguments_.scan_interval_s);
    auto next = Clock::now();
    while (!ends()) {
        bool scan = Clock::now() >= next;
        if (!scan) look_at_events(scan);
        if (!scan) continue;
        look_at_folders();
        next = Clock::now() + interval;
    }
}

void Sending::look_at_folders() {
    const Finder finder{
        .on_file =
            [this](const Source &source, const files::FileVersion &version) {
                handle_found(source, version);
                return !ends();
            },
        .on_folder =
            [this](const Source &source) {
                watch_.add(source);
                if (!source.name.empty() && folders_sent_.insert(source.name).second)
                    queues_.sources.push(source);
                return !ends();
            },
        .on_other =
            [this](const std::string &name, const std::string &why) {
                if (skipped_.insert(name).second) ledger_.skip(name, why);
            }};
    [[maybe_unused]] const bool ended = scanner_.scan(finder);
}

void Sending::handle_found(const Source &source, const files::FileVersion &version) {
    if (ledger_.is_known(source.name, version)) return quiet_.forget(source.name);
    if (quiet_.is_quiet(source.name, version, Clock::now())) queues_.sources.push(source);
}

void Sending::look_at_events(bool &scan) {
    std::array<pollfd, 2> waiting{
        {{watch_.descriptor(), POLLIN, 0}, {interruption_.descriptor(), POLLIN, 0}}};
    const auto look =
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(kLook).count());
    if (::poll(waiting.data(), waiting.size(), look) <= 0 || waiting[0].revents == 0) return;
    for (Source &source : watch_.take(scan)) {
        quiet_.forget(source.name);
        if (files::wrong_name(source.name).empty()) queues_.sources.push(std::move(source));
    }
}

}  // namespace farlink::bpsendfile
