// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/lunar_plan.hpp"

#include <algorithm>

namespace farlink::sim {
namespace {

struct Span {
    std::uint64_t start_s = 0;
    std::uint64_t end_s = 0;
};
using Spans = std::vector<Span>;

/// From `offset_s` on, every `period_s`, for `duration_s`.
Spans repeat(std::uint64_t offset_s, std::uint64_t period_s, std::uint64_t duration_s,
             std::uint64_t length_s) {
    Spans spans;
    for (std::uint64_t at = offset_s; at < length_s; at += period_s)
        spans.push_back({at, std::min(at + duration_s, length_s)});
    return spans;
}

/// The parts of `spans` that no span of `hidden` covers; both ascending.
Spans without(const Spans &spans, const Spans &hidden) {
    Spans left;
    for (Span span : spans) {
        for (const Span &cover : hidden) {
            if (cover.end_s <= span.start_s || cover.start_s >= span.end_s) continue;
            if (cover.start_s > span.start_s) left.push_back({span.start_s, cover.start_s});
            span.start_s = std::min(cover.end_s, span.end_s);
        }
        if (span.start_s < span.end_s) left.push_back(span);
    }
    return left;
}

class PlanWriter {
public:
    PlanWriter(DtnTime start, Duration margin)
        : start_(start),
          margin_ms_(static_cast<std::uint64_t>(
              std::chrono::duration_cast<milliseconds>(margin).count())) {}

    void add(const Sight &sight, const Spans &spans) {
        for (const Span &span : spans) {
            add(sight.one, sight.other, span, sight.forth, sight.owlt);
            add(sight.other, sight.one, span, sight.back, sight.owlt);
        }
    }
    void add(NodeNumber from, NodeNumber to, const Span &span, BitRate rate, Duration owlt) {
        const DtnTime start = start_ + span.start_s * 1000 + margin_ms_;
        const DtnTime end = start_ + span.end_s * 1000 - margin_ms_;
        if (start < end) plan_.push_back({plan_.size(), from, to, start, end, rate, owlt});
    }
    [[nodiscard]] std::vector<bus::Contact> plan() && { return std::move(plan_); }

private:
    DtnTime start_;
    std::uint64_t margin_ms_;
    std::vector<bus::Contact> plan_;
};

}  // namespace

std::vector<bus::Contact> lunar_plan(DtnTime start, std::uint64_t length_s, Duration margin) {
    constexpr std::uint64_t kLunarDay = 89'400;    // from one rise of the Moon to the next
    constexpr std::uint64_t kRelayOrbit = 43'200;  // elliptical, high over the rover
    constexpr std::uint64_t kLowOrbit = 5'700;
    const Spans always{{0, length_s}};
    const Spans occultations = repeat(20'000, kRelayOrbit, 2'400, length_s);
    const Spans dark = repeat(31'000, kRelayOrbit, 15'200, length_s);  // the relay is low
    const Spans shadows = repeat(0, kLowOrbit, 2'700, length_s);       // the Earth is between
    PlanWriter writer(start, margin);
    writer.add(kRoverRelay, without(always, dark));
    writer.add(kRelayWest, without(repeat(0, kLunarDay, 46'000, length_s), occultations));
    writer.add(kRelayEast, without(repeat(43'000, kLunarDay, 47'500, length_s), occultations));
    writer.add(kOrbiterRelay,
               without(repeat(9'000, 3 * kLowOrbit, 40'000 % kLowOrbit, length_s), shadows));
    writer.add(kOrbiterWest, repeat(600, 2 * kLowOrbit, 480, length_s));
    writer.add(kOrbiterEast, repeat(3'400, 3 * kLowOrbit, 420, length_s));
    writer.add(kWestControl, always);
    // Its line to the control centre is down for two hours each day.
    writer.add(kEastControl, without(always, repeat(50'000, 86'400, 7'200, length_s)));
    for (const NodeNumber node : {kRover, kOrbiter, kControl})
        writer.add(node, application_of(node), always.front(), BitRate{}, milliseconds(10));
    return std::move(writer).plan();
}

}  // namespace farlink::sim
