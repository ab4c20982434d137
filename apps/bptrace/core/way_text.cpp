// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/core/way_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "apps/farlinkctl/shared/figures.hpp"
#include "common/base/counted.hpp"
#include "common/bp/base/bundle_view.hpp"
#include "common/bp/report_reason.hpp"

namespace farlink::bptrace {
namespace {

using Json = nlohmann::ordered_json;
using bp::ReportEvent;

constexpr std::array<const char *, kEvents> kNames{"received", "forwarded", "delivered", "deleted"};
constexpr double kMsPerSecond = 1000;
constexpr std::size_t kLeastNodeColumns = 8;

/// One line of the drawing.
struct Step {
    std::string node;
    ReportEvent event;
    Moment moment;
    std::uint64_t reason = 0;
};

std::vector<Step> steps_of(const Hop &hop) {
    std::vector<Step> steps;
    for (std::size_t event = 0; event < kEvents; ++event)
        if (hop.moments[event])
            steps.push_back({ctl::printable(hop.node), static_cast<ReportEvent>(event),
                             *hop.moments[event], hop.reason});
    // A node that forwards by cut-through reports in any order.
    std::ranges::stable_sort(steps, {}, [](const Step &step) { return step.moment.at_ms; });
    return steps;
}

std::int64_t difference(DtnTime later_ms, DtnTime earlier_ms) {
    return static_cast<std::int64_t>(later_ms - earlier_ms);
}

/// "12 ms", "-3 ms", "12.3 s", "5 min 3 s"
std::string span_text(std::int64_t ms) {
    const bool negative = ms < 0;
    const std::uint64_t size =
        negative ? 0 - static_cast<std::uint64_t>(ms) : static_cast<std::uint64_t>(ms);
    const double seconds = static_cast<double>(size) / kMsPerSecond;
    std::string text = std::to_string(size) + " ms";
    if (seconds >= 60) {
        text = ctl::duration_text(seconds);
    } else if (seconds >= 10) {
        std::array<char, 32> room;
        std::snprintf(room.data(), room.size(), "%.1f s", seconds);
        text = room.data();
    }
    return negative ? '-' + text : text;
}

std::string padded(std::string_view text, std::size_t columns) {
    const std::size_t wide = ctl::columns_of(text);
    return std::string(columns > wide ? columns - wide : 0, ' ') + std::string(text);
}

class Drawing {
public:
    explicit Drawing(const Trace &trace) : trace_(trace), last_ms_(trace.sent_ms) {}

    void add(const Step &step, bool begins) {
        const std::int64_t since = difference(step.moment.at_ms, last_ms_);
        // Times are rounded, and a node reads its clock a moment before it needs the time.
        backwards_ = backwards_ || since < -1;
        stated_ = stated_ && step.moment.stated;
        last_ms_ = step.moment.at_ms;
        std::string what = kNames[static_cast<std::size_t>(step.event)];
        if (step.event == ReportEvent::kDeleted) what += ": " + bp::report_reason_text(step.reason);
        line(span_text(difference(step.moment.at_ms, trace_.sent_ms)),
             since < 0 ? span_text(since) : '+' + span_text(since), begins ? step.node : "|", what);
    }
    void line(const std::string &at, const std::string &since, const std::string &node,
              const std::string &what) {
        text_ += padded(at, kTimeColumns) + padded(since, kTimeColumns) + "  " + node;
        const std::size_t wide = ctl::columns_of(node);
        text_.append((wide < node_columns_ ? node_columns_ - wide : 0) + 2, ' ');
        text_ += what + '\n';
    }
    void widen(const std::vector<Hop> &hops) {
        for (const Hop &hop : hops)
            node_columns_ = std::max(node_columns_, ctl::columns_of(ctl::printable(hop.node)));
    }
    [[nodiscard]] std::string finish() {
        if (backwards_)
            text_ +=
                std::string("a time precedes the one above it: the clocks of the nodes differ") +
                (trace_.version == bp::kBpVersion6 ? ", or a node states whole seconds\n" : "\n");
        if (!stated_)
            text_ +=
                "some reports state no time: the creation time of the report is shown instead\n";
        return text_;
    }

private:
    static constexpr std::size_t kTimeColumns = 12;

    const Trace &trace_;
    DtnTime last_ms_;
    std::size_t node_columns_ = kLeastNodeColumns;
    bool backwards_ = false;
    bool stated_ = true;
    std::string text_;
};

const char *outcome_of(const Way &way, const Trace &trace) {
    if (way.delivered()) return "delivered";
    if (way.deleted()) return "deleted";
    return trace.interrupted ? "interrupted" : "unknown";
}

std::string outcome_text(const Way &way, const Trace &trace) {
    const std::vector<Hop> hops = way.hops();
    for (const Hop &hop : hops) {
        const auto &moment = hop.moments[static_cast<std::size_t>(ReportEvent::kDelivered)];
        if (moment)
            return "delivered at " + ctl::printable(hop.node) + " after " +
                   span_text(difference(moment->at_ms, trace.sent_ms)) + "; " +
                   counted(hops.size(), "node") + " sent reports";
    }
    for (const Hop &hop : hops)
        if (hop.has(ReportEvent::kDeleted))
            return "deleted at " + ctl::printable(hop.node) + ": " +
                   bp::report_reason_text(hop.reason);
    if (trace.interrupted) return "interrupted: neither delivered nor deleted so far";
    return "neither delivered nor deleted within " +
           span_text(static_cast<std::int64_t>(trace.limit_s * kMsPerSecond)) +
           (hops.empty() ? "" : "; the last report came from " + ctl::printable(hops.back().node));
}

Json hop_json(const Hop &hop, const Trace &trace) {
    Json row{{"node", hop.node}};
    for (const Step &step : steps_of(hop)) {
        const char *const name = kNames[static_cast<std::size_t>(step.event)];
        row[name] = {{"time", step.moment.at_ms},
                     {"sinceSentMilliseconds", difference(step.moment.at_ms, trace.sent_ms)}};
        if (!step.moment.stated) row[name]["timeOfReport"] = true;
    }
    if (hop.has(ReportEvent::kDeleted)) {
        row["reasonCode"] = hop.reason;
        row["reason"] = bp::report_reason_text(hop.reason);
    }
    return row;
}

}  // namespace

std::string hint_of(const Way &way) {
    if (way.complete()) return {};
    if (!way.has_first_node())
        return "no report from " + node_of(way.probe().source.to_string()) +
               ": set \"statusReports\": true in its configuration, and in that of each node on "
               "the route";
    if (way.delivered() || way.deleted()) return {};
    return "a node that is not in the list did not receive the bundle, or does not send reports: "
           "set \"statusReports\": true in its configuration; `statusReportsPerSecond` limits the "
           "reports";
}

std::string way_text(const Way &way, const Trace &trace) {
    const std::vector<Hop> hops = way.hops();
    Drawing drawing(trace);
    drawing.widen(hops);
    drawing.line("0 ms", "", node_of(way.probe().source.to_string()), "sent");
    bool first = true;
    for (const Hop &hop : hops) {
        // The line of the sender has its node's name already.
        bool begins = !first || hop.node != node_of(way.probe().source.to_string());
        first = false;
        for (const Step &step : steps_of(hop)) drawing.add(step, std::exchange(begins, false));
    }
    std::string text = drawing.finish() + outcome_text(way, trace) + '\n';
    if (const std::string hint = hint_of(way); !hint.empty()) text += hint + '\n';
    return text;
}

Json way_json(const Way &way, const Trace &trace) {
    Json hops = Json::array();
    for (const Hop &hop : way.hops()) hops.push_back(hop_json(hop, trace));
    Json report{{"bundle", bp::to_string(way.probe())},
                {"destination", trace.destination},
                {"version", trace.version},
                {"payloadBytes", trace.bytes},
                {"sent", trace.sent_ms},
                {"outcome", outcome_of(way, trace)},
                {"complete", way.complete()},
                {"reports", way.reports()},
                {"hops", std::move(hops)}};
    if (const std::string hint = hint_of(way); !hint.empty()) report["hint"] = hint;
    return report;
}

}  // namespace farlink::bptrace
