// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/running.hpp"

#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <utility>

#include "apps/bptunnel/report.hpp"
#include "apps/shared/options/complain.hpp"

namespace farlink::bptunnel {
namespace {

/// For the node to accept what is under way at the end.
constexpr std::chrono::seconds kEndLimit{2};
constexpr std::chrono::milliseconds kEndStep{10};

}  // namespace

Running::Running(boost::asio::io_context &io, const Arguments &arguments,
                 std::shared_ptr<Tunnel> tunnel, bool tcp)
    : io_(io),
      tunnel_(std::move(tunnel)),
      tcp_(tcp),
      json_(arguments.json),
      progress_(arguments.progress || ::isatty(STDERR_FILENO) == 1),
      interval_(messages::milliseconds_of(arguments.interval_s)),
      signals_(io, SIGINT, SIGTERM),
      progress_timer_(io),
      interval_timer_(io),
      end_timer_(io),
      begun_(monotonic_now()) {}

void Running::start(client::ConnectOptions options) {
    wait_for_signal();
    if (progress_) show_progress();
    if (interval_.count() > 0) show_figures();
    tunnel_->start(std::move(options), [weak = weak_from_this()](const std::string &reason) {
        if (const auto self = weak.lock()) self->lose(reason);
    });
}

void Running::wait_for_signal() {
    signals_.async_wait([weak = weak_from_this()](const auto &error, int) {
        const auto self = weak.lock();
        if (!self || error) return;
        // A second one has its usual effect.
        boost::system::error_code ignored;
        self->signals_.clear(ignored);
        self->tunnel_->finish();
        self->give_up_ = monotonic_now() + kEndLimit;
        self->end_in_order();
    });
}

void Running::end_in_order() {
    if (tunnel_->idle() || monotonic_now() >= give_up_) return io_.stop();
    end_timer_.expires_after(kEndStep);
    end_timer_.async_wait([weak = weak_from_this()](const auto &error) {
        const auto self = weak.lock();
        if (self && !error) self->end_in_order();
    });
}

void Running::lose(const std::string &reason) {
    error_ = "the connection to the node was lost: " + reason;
    io_.stop();
}

void Running::show_progress() {
    progress_timer_.expires_after(std::chrono::seconds(1));
    progress_timer_.async_wait([weak = weak_from_this()](const auto &error) {
        const auto self = weak.lock();
        if (!self || error) return;
        std::cerr << progress_text(self->tunnel_->counters(), self->tcp_) << '\n';
        self->show_progress();
    });
}

void Running::show_figures() {
    interval_timer_.expires_after(interval_);
    interval_timer_.async_wait([weak = weak_from_this()](const auto &error) {
        const auto self = weak.lock();
        if (!self || error) return;
        std::cout << self->figures("figures") << std::flush;
        self->show_figures();
    });
}

double Running::seconds() const {
    return std::chrono::duration<double>(monotonic_now() - begun_).count();
}

std::string Running::figures(std::string_view type) const {
    const Counters counters = tunnel_->counters();
    if (json_) return figures_json(type, counters, tcp_, seconds(), error_) + '\n';
    return figures_text(counters, tcp_);
}

int Running::finish() {
    std::cout << figures("summary") << std::flush;
    tunnel_->close();
    return error_.empty() ? messages::kExitOk : complain(error_, messages::kExitFailed);
}

}  // namespace farlink::bptunnel
