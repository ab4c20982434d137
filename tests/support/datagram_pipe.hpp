// SPDX-License-Identifier: Apache-2.0
// One direction of a simulated datagram link: delay, jitter, loss, reordering, duplication,
// outages. Owned by a test; one thread. The same seed gives the same link. Time is handed in; the
// pipe only tells when its next datagram arrives.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/random.hpp"
#include "common/base/time.hpp"

namespace farlink::test {

struct DatagramWeather {
    Duration delay = milliseconds(10);
    Duration jitter{};              ///< at most, added to the delay; more than a gap: reordering
    unsigned loss_per_mille = 0;    ///< of single datagrams
    unsigned bursts_per_mille = 0;  ///< a burst of losses begins
    unsigned burst_length = 8;      ///< datagrams, at most
    unsigned copies_per_mille = 0;
    unsigned late_per_mille = 0;  ///< overtaken by others: twice the jitter and a millisecond more
    TimePoint outage_begin = kNever;  ///< what is sent from then on is lost
    TimePoint outage_end = kNever;
};

class DatagramPipe {
public:
    DatagramPipe(const DatagramWeather &weather, std::uint64_t seed)
        : weather_(weather), random_(seed) {}

    void send(Bytes datagram, TimePoint now) {
        ++sent_;
        if (lost(now)) {
            ++lost_;
            return;
        }
        if (random_.chance(weather_.copies_per_mille, 1000)) put(datagram, now);
        put(std::move(datagram), now);
    }
    [[nodiscard]] TimePoint next_arrival() const {
        return under_way_.empty() ? kNever : under_way_.front().arrival;
    }
    [[nodiscard]] std::optional<Bytes> poll(TimePoint now) {
        if (next_arrival() > now) return std::nullopt;
        std::ranges::pop_heap(under_way_, later);
        Bytes datagram = std::move(under_way_.back().datagram);
        under_way_.pop_back();
        return datagram;
    }
    [[nodiscard]] bool empty() const { return under_way_.empty(); }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] std::uint64_t lost() const { return lost_; }
    [[nodiscard]] DatagramWeather &weather() { return weather_; }

private:
    struct Entry {
        TimePoint arrival;
        std::uint64_t number = 0;
        Bytes datagram;
    };
    static bool later(const Entry &a, const Entry &b) {
        return a.arrival != b.arrival ? a.arrival > b.arrival : a.number > b.number;
    }
    bool lost(TimePoint now) {
        if (now >= weather_.outage_begin && now < weather_.outage_end) return true;
        if (burst_ > 0) {
            --burst_;
            return true;
        }
        if (random_.chance(weather_.bursts_per_mille, 1000))
            burst_ = random_.below(weather_.burst_length + 1);
        return random_.chance(weather_.loss_per_mille, 1000);
    }
    void put(Bytes datagram, TimePoint now) {
        TimePoint arrival = now + weather_.delay;
        const auto jitter = static_cast<std::uint64_t>(weather_.jitter.count());
        if (jitter > 0) arrival += nanoseconds(static_cast<std::int64_t>(random_.below(jitter)));
        if (random_.chance(weather_.late_per_mille, 1000))
            arrival += 2 * weather_.jitter + milliseconds(1);
        under_way_.push_back({arrival, number_++, std::move(datagram)});
        std::ranges::push_heap(under_way_, later);
    }

    DatagramWeather weather_;
    Random random_;
    std::vector<Entry> under_way_;  ///< a heap, the earliest in front
    std::uint64_t number_ = 0;
    std::uint64_t burst_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t lost_ = 0;
};

}  // namespace farlink::test
