// SPDX-License-Identifier: Apache-2.0
// Two session cores that exchange messages over a pair of byte pipes, in virtual time.
// Owned by the test.
// One thread; the same seed gives the same run.
#pragma once

#include "tests/support/byte_pipe.hpp"
#include "tests/support/core_host.hpp"

namespace farlink::test {

class CorePair {
public:
    CorePair(std::unique_ptr<cla::SessionCore> active, std::unique_ptr<cla::SessionCore> passive,
             std::uint64_t seed = 1, PipeWeather weather = {})
        : a(std::move(active)),
          b(std::move(passive)),
          to_b(seed, weather),
          to_a(seed + 1, weather) {}

    void connect() {
        a.core->handle_connected(now);
        b.core->handle_connected(now);
    }
    /// Moves octets and time until no octets are in flight, or to `until`. Timers of the cores do
    /// not run.
    void run(TimePoint until = kNever) {
        for (;;) {
            while (move()) {
            }
            const TimePoint next = std::min(next_arrival(), next_timeout());
            if (next > until || next_arrival() == kNever) break;
            advance(next);
        }
        if (until != kNever) advance(until);
    }
    /// Like run(), with the timers of the cores.
    void run_timers(TimePoint until) {
        for (;;) {
            while (move()) {
            }
            const TimePoint next = std::min(next_arrival(), next_timeout());
            if (next > until) break;
            advance(next);
        }
        advance(until);
    }
    /// The connection breaks for both sides, as when a pipe is cut.
    void break_off() {
        if (!a.ended) a.peer_closed(now);
        if (!b.ended) b.peer_closed(now);
    }

    CoreHost a;  ///< active
    CoreHost b;  ///< passive
    BytePipe to_b;
    BytePipe to_a;
    TimePoint now{};

private:
    [[nodiscard]] TimePoint next_arrival() const {
        const TimePoint at_b = b.core->wants_read() ? to_b.next_arrival() : kNever;
        const TimePoint at_a = a.core->wants_read() ? to_a.next_arrival() : kNever;
        return std::min(at_a, at_b);
    }
    [[nodiscard]] TimePoint next_timeout() const {
        return std::min(a.core->next_timeout(), b.core->next_timeout());
    }
    void advance(TimePoint to) {
        now = std::max(now, to);
        for (CoreHost *host : {&a, &b})
            if (host->core->next_timeout() <= now) host->timeout(now);
    }
    /// True when something moved.
    bool move() {
        const bool wrote_a = write(a, to_b);
        const bool wrote_b = write(b, to_a);
        const bool read_b = read(b, to_b, a);
        const bool read_a = read(a, to_a, b);
        return wrote_a || wrote_b || read_a || read_b;
    }
    bool write(CoreHost &from, BytePipe &pipe) {
        const Bytes octets = from.drain(now, pipe.room());
        pipe.write(octets, now);
        return !octets.empty();
    }
    /// The end of one side's session ends its direction of the connection.
    bool read(CoreHost &to, BytePipe &pipe, CoreHost &from) {
        if (to.ended) {
            while (pipe.read(kNever)) {
            }
            return false;
        }
        if (!to.core->wants_read()) return false;
        if (const auto octets = pipe.read(now)) {
            to.feed(*octets, now);
            return true;
        }
        const bool closed =
            from.ended && from.core->queue().pending() == 0 && pipe.next_arrival() == kNever;
        if (!closed && !pipe.broken()) return false;
        to.peer_closed(now);
        return true;
    }
};

}  // namespace farlink::test
