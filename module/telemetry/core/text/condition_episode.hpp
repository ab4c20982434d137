// SPDX-License-Identifier: Apache-2.0
// Detects the begin and the end of a condition that occurs repeatedly.
// Owned by NodeView; one thread.
// It has ended when it has not occurred for a while, so that short pauses do not count.
#pragma once

#include <cstdint>
#include <utility>

#include "common/base/time.hpp"

namespace farlink::telemetry {

class ConditionEpisode {
public:
    static constexpr Duration kCalm = seconds(10);

    /// `calm`: how long it must not have occurred to be over.
    explicit ConditionEpisode(Duration calm = kCalm) : calm_(calm) {}

    enum class Edge : std::uint8_t { kNone, kBegins, kEnds };

    /// `happens`: the condition occurred since the last call.
    [[nodiscard]] Edge look(bool happens, TimePoint now) {
        if (happens) {
            last_ = now;
            return std::exchange(on_, true) ? Edge::kNone : Edge::kBegins;
        }
        if (!on_ || now - last_ < calm_) return Edge::kNone;
        on_ = false;
        return Edge::kEnds;
    }
    [[nodiscard]] bool on() const { return on_; }

private:
    Duration calm_;
    bool on_ = false;
    TimePoint last_{};
};

/// The same for a counter that rises while the condition lasts.
class CounterEpisode {
public:
    explicit CounterEpisode(Duration calm = ConditionEpisode::kCalm) : spell_(calm) {}

    [[nodiscard]] ConditionEpisode::Edge look(std::uint64_t value, TimePoint now) {
        const std::uint64_t before = std::exchange(value_, value);
        const ConditionEpisode::Edge edge = spell_.look(value > before, now);
        if (edge == ConditionEpisode::Edge::kBegins) first_ = before;
        return edge;
    }
    /// The growth of the counter since the begin.
    [[nodiscard]] std::uint64_t sum() const { return value_ - first_; }
    [[nodiscard]] bool on() const { return spell_.on(); }

private:
    ConditionEpisode spell_;
    std::uint64_t value_ = 0;
    std::uint64_t first_ = 0;
};

}  // namespace farlink::telemetry
