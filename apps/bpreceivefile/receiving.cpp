// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/receiving.hpp"

#include <poll.h>
#include <unistd.h>

#include <iterator>
#include <utility>

namespace farlink::bpreceivefile {
namespace {

using std::chrono::milliseconds;

/// An interruption is noticed within it.
constexpr milliseconds kWait{200};
/// A group that another thread has ended is noticed within it.
constexpr milliseconds kLookAtGroup{2};
/// What comes later is flushed by itself.
constexpr milliseconds kHeldBack{50};
/// The node has nothing more to give until something is accepted.
constexpr milliseconds kPause{1};
constexpr std::size_t kGroupBytes = 64 * 1024 * 1024;
constexpr int kRoomPauseMs = 500;
constexpr std::chrono::seconds kExpiry{60};

std::size_t octets_of(const std::vector<client::Adu> &adus) {
    std::size_t octets = 0;
    for (const client::Adu &adu : adus) octets += adu.payload.size();
    return octets;
}

}  // namespace

Receiving::Receiving(client::Endpoint &endpoint, const Arguments &arguments, FileWriter &writer,
                     const messages::Interruption &interruption)
    : endpoint_(endpoint),
      arguments_(arguments),
      writer_(writer),
      interruption_(interruption),
      report_(arguments.json, arguments.progress || ::isatty(STDERR_FILENO) == 1) {}

int Receiving::run() {
    receive();
    // Nobody waits for what was not accepted: the node gives it again.
    if (error_.empty() || lost_) (void)end_group();
    report_.add(writer_.take_events());
    const bool complete = arguments_.count == 0 || report_.files() >= arguments_.count;
    if (error_.empty() && !complete)
        error_ = interruption_.asked() ? "interrupted"
                                       : "no bundle arrived within the time limit (--timeout)";
    report_.finish(endpoint_.id(), writer_, error_);
    return error_.empty() ? messages::kExitOk : messages::kExitFailed;
}

void Receiving::receive() {
    // What an earlier run has left complete gets its name.
    if (!write({})) return;
    while (!ends()) {
        std::vector<client::Adu> adus = collect();
        if (adus.empty()) {
            if (writer_.is_committed() && !end_group()) return;
            // The node may have nothing more to give until the group is accepted.
            if (group_.empty()) handle_idle();
            continue;
        }
        last_ = Clock::now();
        if (!write(std::move(adus))) return;
    }
}

void Receiving::accept(const std::vector<client::Adu> &adus) {
    last_ = Clock::now();
    report_.add(writer_.take_events());
    endpoint_.accept_many(adus);
    report_.add_octets(octets_of(adus));
    report_.show_progress(writer_.open_files());
}

bool Receiving::ends() const {
    if (lost_ || idle_too_long_ || interruption_.asked()) return true;
    return arguments_.count > 0 && report_.files() >= arguments_.count;
}

std::vector<client::Adu> Receiving::collect() {
    std::vector<client::Adu> adus;
    if (!collect_more(adus, group_.empty() ? kWait : kLookAtGroup)) return adus;
    const Clock::time_point end = Clock::now() + kHeldBack;
    while (Clock::now() < end && octets_of(adus) < kGroupBytes)
        if (!collect_more(adus, kPause)) break;
    return adus;
}

bool Receiving::collect_more(std::vector<client::Adu> &adus, milliseconds wait) {
    if (adus.size() >= arguments_.node.window) return false;
    auto more = endpoint_.receive_many(arguments_.node.window - adus.size(), wait);
    if (more) {
        std::ranges::move(*more, std::back_inserter(adus));
        return true;
    }
    if (more.error().code == client::ErrorCode::kTimedOut) return false;
    lost_ = true;
    error_ = "the connection to the node was lost: " +
             (more.error().reason.empty() ? "no reason given" : more.error().reason);
    return false;
}

bool Receiving::write(std::vector<client::Adu> adus) {
    for (const client::Adu &adu : adus) {
        if (!until_done([&] { return writer_.take(adu.payload); })) return false;
        if (writer_.is_committed() && !end_group()) return false;
    }
    if (!end_group()) return false;
    if (writer_.start_commit()) {
        group_ = std::move(adus);
        return true;
    }
    if (!until_done([&] { return writer_.commit(); })) return false;
    accept(adus);
    return true;
}

bool Receiving::end_group() {
    if (group_.empty()) return true;
    const Step step = writer_.end_commit();
    // What an error of the disk has taken is not there at a second try.
    const bool done = step == Step::kFailed
                          ? until_done([&] { return step; })
                          : step == Step::kDone || until_done([&] { return writer_.commit(); });
    const std::vector<client::Adu> adus = std::exchange(group_, {});
    if (done) accept(adus);
    return done;
}

template <class Action>
bool Receiving::until_done(Action action) {
    for (;;) {
        const Step step = action();
        if (step == Step::kDone) {
            if (std::exchange(without_room_, false))
                Report::complain("disk space is available again");
            return true;
        }
        if (step == Step::kFailed) {
            error_ = "cannot write " + writer_.trouble();
            return false;
        }
        if (!wait_for_room()) return false;
    }
}

// Nothing is accepted meanwhile, so that the node keeps it.
bool Receiving::wait_for_room() {
    if (!std::exchange(without_room_, true))
        Report::complain("waiting for disk space: " + writer_.trouble());
    pollfd stop{interruption_.descriptor(), POLLIN, 0};
    if (::poll(&stop, 1, kRoomPauseMs) <= 0) return true;
    error_ = "interrupted while waiting for disk space: " + writer_.trouble();
    return false;
}

void Receiving::handle_idle() {
    const Clock::time_point now = Clock::now();
    const auto longest = messages::limit_of(arguments_.timeout_s);
    idle_too_long_ = longest && now - last_ >= *longest;
    if (now - expired_ < kExpiry) return;
    expired_ = now;
    writer_.expire();
    report_.add(writer_.take_events());
}

}  // namespace farlink::bpreceivefile
