// SPDX-License-Identifier: Apache-2.0
#include "apps/bpgen/generator.hpp"

#include <algorithm>
#include <limits>

#include "apps/traffic/stop_signal.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::bpgen {
namespace {

constexpr Duration kFirstRetry = milliseconds(50);
constexpr Duration kLongestRetry = seconds(1);
/// At a rate, what comes due within this time leaves together.
constexpr Duration kTick = milliseconds(1);
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Generator::Generator(const GeneratorOptions &options, traffic::BundleTemplate &bundles,
                     const traffic::Pattern &pattern, std::uint64_t run)
    : options_(options), group_(bundles, pattern) {
    next_.length_bytes = static_cast<std::uint32_t>(options.bundle.payload_bytes);
    next_.run = run;
    next_.total = options.bundles;
    next_.seed = pattern.seed();
}

GeneratorReport Generator::run() {
    GeneratorReport report;
    report.run = next_.run;
    report.error = connect();
    if (!report.error.empty()) return report;

    const TimePoint start = monotonic_now();
    report.error = send_all();
    const TimePoint end = monotonic_now();
    report.seconds = std::chrono::duration<double>(end - start).count();
    report.bundles = next_.sequence;
    report.wire_bytes = wire_bytes_;
    if (report.error.empty()) report.error = wait_for_acknowledgement();
    report.acknowledged = report.error.empty();
    return report;
}

std::string Generator::connect() {
    const TimePoint give_up = monotonic_now() + options_.connect_timeout;
    Duration retry = kFirstRetry;
    while (true) {
        auto connected = traffic::connect_to(options_.via.host, options_.via.port);
        if (connected) {
            socket_ = std::move(*connected);
            return {};
        }
        for (TimePoint wake = monotonic_now() + retry; monotonic_now() < wake;) {
            if (traffic::stop_requested()) return "stopped before it was connected";
            traffic::nap(wake - monotonic_now());
        }
        if (monotonic_now() > give_up) return "cannot connect to " + connected.error();
        retry = std::min(2 * retry, kLongestRetry);
    }
}

std::string Generator::send_all() {
    const TimePoint start = monotonic_now();
    const TimePoint end = options_.duration ? start + *options_.duration : kNever;
    const std::uint64_t wanted = options_.bundles > 0 ? options_.bundles : kUnlimited;
    std::optional<traffic::Pacer> pacer;
    if (options_.bundle_rate > 0) pacer.emplace(options_.bundle_rate, start);

    while (next_.sequence < wanted) {
        const TimePoint now = monotonic_now();
        if (now >= end || traffic::stop_requested()) return send_last();
        std::uint64_t due = wanted - next_.sequence;
        if (pacer) due = std::min(due, pacer->due(now));
        if (due == 0) {
            const TimePoint wake = std::max(pacer->next_due(), now + kTick);
            traffic::nap(std::min(wake, end) - now);
            continue;
        }
        const std::uint64_t before = next_.sequence;
        if (auto error = send_group(due); !error.empty()) return error;
        if (pacer) pacer->spend(next_.sequence - before);
    }
    return {};
}

std::string Generator::send_group(std::uint64_t at_most) {
    next_.sent_unix_ns = unix_nanoseconds();
    for (; at_most > 0 && !group_.full(); --at_most) {
        group_.add(next_);
        ++next_.sequence;
    }
    wire_bytes_ += group_.bytes();
    std::string error = traffic::write_all(socket_, group_.pieces());
    group_.clear();
    return error;
}

// A run that ends by time or signal tells the sink in one more bundle how many there were.
std::string Generator::send_last() {
    next_.total = next_.sequence + 1;
    return send_group(1);
}

std::string Generator::wait_for_acknowledgement() {
    traffic::half_close(socket_);
    std::uint64_t waiting = traffic::unacknowledged_bytes(socket_);
    TimePoint give_up = monotonic_now() + options_.acknowledge_timeout;
    while (true) {
        if (auto error = traffic::connection_error(socket_); !error.empty())
            return "the connection was lost before everything was acknowledged: " + error;
        const std::uint64_t still = traffic::unacknowledged_bytes(socket_);
        if (still == 0) return {};
        const TimePoint now = monotonic_now();
        if (still < waiting) give_up = now + options_.acknowledge_timeout;
        waiting = still;
        if (now >= give_up) return std::to_string(still) + " bytes were not acknowledged in time";
        traffic::nap(kTick);
    }
}

}  // namespace farlink::bpgen
