// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/sink.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/traffic/stop_signal.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::bpsink {
namespace {

constexpr std::size_t kReadBytes = 1024 * 1024;
constexpr Duration kProgressInterval = seconds(1);

}  // namespace

Sink::Sink(const SinkOptions &options, traffic::Socket listener, traffic::Verifier &verifier)
    : options_(options), listener_(std::move(listener)), verifier_(verifier) {
    polled_.push_back({listener_.fd(), POLLIN, 0});
}

void Sink::run() {
    TimePoint now = monotonic_now();
    next_progress_ = now + kProgressInterval;
    while (!traffic::stop_requested() && !done(now)) {
        const bool ready = wait();
        now = monotonic_now();
        if (now >= next_progress_) report_progress(now);
        if (!ready) continue;
        // Backwards: a connection that ends is replaced by the last one, which was served already.
        for (std::size_t i = connections_.size(); i-- > 0;) {
            if (polled_[i + 1].revents == 0 || read(*connections_[i])) continue;
            std::swap(connections_[i], connections_.back());
            std::swap(polled_[i + 1], polled_.back());
            connections_.pop_back();
            polled_.pop_back();
        }
        if (polled_[0].revents != 0) accept_one();
    }
}

bool Sink::wait() {
    constexpr auto kWait = std::chrono::duration_cast<milliseconds>(traffic::kLongestWait);
    return ::poll(polled_.data(), polled_.size(), static_cast<int>(kWait.count())) > 0;
}

void Sink::accept_one() {
    auto accepted = traffic::accept_from(listener_);
    if (!accepted) return;
    ++accepted_;
    std::cerr << "connection " << accepted_ << std::endl;
    polled_.push_back({accepted->fd(), POLLIN, 0});
    connections_.push_back(std::make_unique<Connection>(
        Connection{std::move(*accepted), traffic::StcpDeframer(kReadBytes)}));
}

bool Sink::read(Connection &connection) {
    const traffic::ReadResult result =
        traffic::read_some(connection.socket, connection.frames.space());
    if (result.bytes > 0) {
        const traffic::Arrival arrival{monotonic_now(), unix_nanoseconds()};
        connection.frames.commit(result.bytes);
        while (const auto bundle = connection.frames.next()) {
            verifier_.handle_bundle(*bundle, arrival);
            last_bundle_ = arrival.at;
        }
    }
    if (!result.ended) return true;
    if (!result.error.empty()) std::cerr << "bpsink: a connection ended: " << result.error << '\n';
    if (connection.frames.unfinished_bytes() > 0) ++cut_off_;
    keep_alives_ += connection.frames.keep_alives();
    return false;
}

std::uint64_t Sink::keep_alives() const {
    std::uint64_t sum = keep_alives_;
    for (const auto &connection : connections_) sum += connection->frames.keep_alives();
    return sum;
}

bool Sink::done(TimePoint now) const {
    if (options_.bundles > 0 && verifier_.received() >= options_.bundles) return true;
    if (options_.until_complete && verifier_.totals().complete) return true;
    return options_.idle_exit && last_bundle_ != kNever &&
           now - last_bundle_ >= *options_.idle_exit;
}

void Sink::report_progress(TimePoint now) {
    next_progress_ = now + kProgressInterval;
    if (!options_.progress) return;
    const traffic::Totals totals = verifier_.totals();
    const nlohmann::json line{{"received", totals.received},
                              {"duplicates", totals.duplicates},
                              {"missing", totals.lost},
                              {"corrupt", totals.corrupt + totals.malformed},
                              {"connections", connections_.size()}};
    std::cerr << line.dump() << std::endl;
}

}  // namespace farlink::bpsink
