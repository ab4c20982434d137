// SPDX-License-Identifier: Apache-2.0
// The bytes that still fit into the open contact of a link: a bundle that could not finish is not
// begun.
// One for each link of LinkTable; one thread.
// The time that a bundle takes follows from the rate of the contact, or from a lower limit of the
// link. Where a session ends with the contact, the acknowledgement must come before the end, too.
#pragma once

#include <algorithm>
#include <map>

#include "common/base/bit_rate.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::egress {

class ResidualContactVolume {
public:
    /// Another end, or another rate, may have room for what had none.
    void set_end(TimePoint end) {
        if (end_ == end) return;
        end_ = end;
        too_late_.clear();
    }
    /// From now on; bundles that are on the link leave at this rate, too.
    void set_rate(BitRate rate, TimePoint now) {
        const double bits_left = busy_until_ > now ? in_seconds(busy_until_ - now) * speed() : 0;
        rate_ = rate;
        busy_until_ = now + time_for(bits_left);
        too_late_.clear();
    }
    /// The link's own limit; 0: none.
    void set_limit(BitRate limit) { limit_ = limit; }
    /// From the last octet of a bundle to the answer, if that must come before the end.
    void set_answer_time(Duration time) {
        answer_time_ = time;
        too_late_.clear();
    }
    /// A connection begins; nothing is on it.
    void handle_connected() { busy_until_ = {}; }

    /// The contact has no end: every bundle can be sent.
    [[nodiscard]] bool open_ended() const { return end_ == kNever; }

    /// True when the bundle can be sent before the contact ends; then the link is busy with it.
    /// Nothing overtakes a bundle of its flow that has arrived before it and is too late.
    [[nodiscard]] bool admit(std::uint64_t flow, std::uint64_t arrival, std::uint64_t bytes,
                             TimePoint now) {
        if (open_ended()) return true;
        const TimePoint begin = std::max(busy_until_, now);
        const bool fits = begin < end_ && !is_behind(flow, arrival) &&
                          seconds_for(bits_of(bytes)) <= in_seconds(end_ - begin - answer_time_);
        if (!fits) {
            const auto [oldest, first] = too_late_.try_emplace(flow, arrival);
            oldest->second = std::min(oldest->second, arrival);
            return false;
        }
        busy_until_ = begin + time_for(bits_of(bytes));
        return true;
    }
    /// The bytes that may be sent of a bundle that is too late as a whole. 0: none, since an older
    /// one of its flow is too late, the contact has no rate, or its end is too close. What the
    /// convergence layer adds has room beside them.
    [[nodiscard]] std::uint64_t room_for_part(std::uint64_t flow, std::uint64_t arrival,
                                              TimePoint now) const {
        const TimePoint begin = std::max(busy_until_, now);
        if (open_ended() || begin >= end_ || speed() <= 0 || is_behind(flow, arrival)) return 0;
        const double time = in_seconds(end_ - begin - answer_time_);
        return static_cast<std::uint64_t>(
            std::clamp(time * speed() / 8 * (1 - kReserve), 0.0, kMostBytes));
    }
    /// A part of these bytes is sent.
    void take(std::uint64_t bytes, TimePoint now) {
        busy_until_ = std::max(busy_until_, now) + time_for(bits_of(bytes));
    }

private:
    static constexpr double kReserve = 1.0 / 32;  ///< for the headers around the octets of a part
    static constexpr double kMostBytes = 1e18;

    [[nodiscard]] bool is_behind(std::uint64_t flow, std::uint64_t arrival) const {
        const auto oldest = too_late_.find(flow);
        return oldest != too_late_.end() && oldest->second < arrival;
    }
    static double in_seconds(Duration time) { return static_cast<double>(time.count()) * 1e-9; }
    static double bits_of(std::uint64_t bytes) { return static_cast<double>(bytes) * 8; }
    /// Bits a second; 0: no limit.
    [[nodiscard]] double speed() const {
        return static_cast<double>(slower_of(rate_, limit_).value());
    }
    [[nodiscard]] double seconds_for(double bits) const { return speed() > 0 ? bits / speed() : 0; }
    [[nodiscard]] Duration time_for(double bits) const {
        constexpr double kForEver = 1e9;  // 31 years
        return nanoseconds(static_cast<std::int64_t>(std::min(seconds_for(bits), kForEver) * 1e9));
    }

    TimePoint end_ = kNever;
    BitRate rate_;
    BitRate limit_;
    Duration answer_time_{};
    TimePoint busy_until_{};
    /// By flow, the arrival of the oldest bundle that is too late; until the next contact.
    std::map<std::uint64_t, std::uint64_t> too_late_;
};

}  // namespace farlink::egress
