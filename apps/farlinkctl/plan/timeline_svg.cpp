// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/plan/timeline_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "apps/farlinkctl/plan/plan_text.hpp"
#include "common/config/fields/instant.hpp"
#include "common/plan/plan_checks.hpp"

namespace farlink::ctl {
namespace {

using config::ContactPlan;
using config::PlanContact;

constexpr double kWidth = 1200;
constexpr double kRight = 28;
constexpr double kTop = 96;
constexpr double kRow = 26;
constexpr double kBar = 18;
constexpr double kPairGap = 10;
constexpr double kBottom = 20;
constexpr double kLetter = 7;  ///< approximate width of a letter of the labels

/// Colours for light and dark screens, with enough contrast in both; no CSS variables, which some
/// programs that show SVG do not support.
constexpr const char *kStyle = R"(<style>
text { font: 13px system-ui, sans-serif; fill: #17212b; }
.title { font-size: 18px; font-weight: 600; }
.soft { fill: #5a6775; font-size: 12px; }
.page { fill: #ffffff; } .band { fill: #f1f4f8; }
.grid { stroke: #d5dce4; stroke-width: 1; }
.there { fill: #2563c9; } .back { fill: #b4500f; }
.bar:hover { opacity: 0.75; }
.on { fill: #ffffff; font-size: 11px; pointer-events: none; }
@media (prefers-color-scheme: dark) {
text { fill: #e8edf2; } .soft { fill: #9aa8b6; }
.page { fill: #12181f; } .band { fill: #19212a; }
.grid { stroke: #2e3a47; }
.there { fill: #7db1ff; } .back { fill: #ffb27d; }
.on { fill: #0d1319; }
}
</style>
)";

std::string svg_number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

std::string escaped(const std::string &text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (static_cast<unsigned char>(c) >= 0x20)
            out += c;
    }
    return out;
}

std::string text_at(double x, double y, const char *attributes, const std::string &text) {
    return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" " + attributes + '>' +
           text + "</text>\n";
}

/// "<rect ...", not closed.
std::string rect_at(double x, double y, double width, double height, const char *attributes) {
    return "<rect x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
           svg_number(width) + "\" height=\"" + svg_number(height) + "\" " + attributes;
}

/// Milliseconds between lines of the grid: a round number, at most ten lines.
DtnTime grid_step(DtnTime span) {
    constexpr DtnTime kSecond = 1000;
    constexpr DtnTime kMinute = 60 * kSecond;
    constexpr DtnTime kHour = 60 * kMinute;
    constexpr DtnTime kDay = 24 * kHour;
    constexpr std::array kSteps{DtnTime{1},  DtnTime{10},  DtnTime{100}, kSecond,   2 * kSecond,
                                5 * kSecond, 10 * kSecond, 30 * kSecond, kMinute,   2 * kMinute,
                                5 * kMinute, 10 * kMinute, 30 * kMinute, kHour,     2 * kHour,
                                3 * kHour,   6 * kHour,    12 * kHour,   kDay,      2 * kDay,
                                7 * kDay,    14 * kDay,    28 * kDay,    91 * kDay, 182 * kDay,
                                364 * kDay};
    for (const DtnTime step : kSteps)
        if (span / step <= 10) return step;
    return span / 10 / kDay * kDay;
}

/// "90 s", "5 min", "3 h", "2 d"; in UTC "03:04", "03:04:05", "01-02 03:04" or "2026-01-02".
std::string grid_label(const ContactPlan &plan, DtnTime moment, DtnTime step) {
    if (plan.absolute) {
        const std::string utc = config::format_utc(moment);
        if (step % 86'400'000 == 0) return utc.substr(0, 10);
        if (step < 1000) return utc.substr(11, 12);
        if (step < 60'000) return utc.substr(11, 8);
        return utc.substr(5, 5) + ' ' + utc.substr(11, 5);
    }
    if (step % 86'400'000 == 0) return std::to_string(moment / 86'400'000) + " d";
    if (step % 3'600'000 == 0) return std::to_string(moment / 3'600'000) + " h";
    if (step % 60'000 == 0) return std::to_string(moment / 60'000) + " min";
    return config::decimal(moment, 3) + " s";
}

bool seen(const PlanContact &contact, const TimelineView &view) {
    return contact.start < view.to && contact.end > view.from;
}

class Picture {
public:
    Picture(const ContactPlan &plan, const TimelineView &view) : plan_(plan), view_(view) {
        // The two directions of a pair are adjacent, that of the smaller number first.
        std::size_t longest = 0;
        for (auto &[direction, contacts] : by_direction(plan, view.node)) {
            std::erase_if(contacts, [&](const PlanContact *c) { return !seen(*c, view); });
            if (contacts.empty()) continue;
            const auto pair = std::minmax(direction.first, direction.second);
            pairs_[{pair.first, pair.second}].emplace_back(direction, contacts);
            longest = std::max(longest, label(direction).size());
        }
        left_ = 24 + kLetter * static_cast<double>(longest);
    }

    std::string draw() {
        std::string rows;
        double y = kTop;
        for (const auto &[pair, directions] : pairs_) {
            const double height = kRow * static_cast<double>(directions.size()) + kPairGap;
            rows += rect_at(0, y, kWidth, height - 4, "class=\"band\"/>\n");
            y += (kPairGap - 4) / 2;
            for (const auto &[direction, contacts] : directions) {
                rows += text_at(left_ - 12, y + kRow / 2 + 4.5, "text-anchor=\"end\"",
                                label(direction));
                bars_ += row(direction, contacts, y + (kRow - kBar) / 2);
                y += kRow;
            }
            y += (kPairGap - 4) / 2 + 4;
        }
        const double height = y + kBottom;
        return head(height) + rows + grid(y) + bars_ + "</svg>\n";
    }

private:
    static std::string label(const Direction &direction) {
        return std::to_string(direction.first.value()) + " \xe2\x86\x92 " +  // an arrow
               std::to_string(direction.second.value());
    }

    [[nodiscard]] double x_of(DtnTime moment) const {
        const DtnTime inside = std::clamp(moment, view_.from, view_.to) - view_.from;
        const double share =
            static_cast<double>(inside) / static_cast<double>(view_.to - view_.from);
        return left_ + share * (kWidth - kRight - left_);
    }

    [[nodiscard]] std::string head(double height) const {
        const std::string size = svg_number(kWidth) + ' ' + svg_number(height);
        std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
                          "\" width=\"" + svg_number(kWidth) + "\" height=\"" + svg_number(height) +
                          "\" role=\"img\">\n<title>" + escaped(view_.title) + "</title>\n" +
                          kStyle;
        out += rect_at(0, 0, kWidth, height, "class=\"page\"/>\n");
        out += text_at(24, 34, "class=\"title\"", escaped(view_.title));
        out += text_at(24, 54, "class=\"soft\"",
                       moment_text(plan_, view_.from) + " to " + moment_text(plan_, view_.to) +
                           (plan_.absolute ? ", UTC" : " from the start of the plan"));
        const double legend = kWidth - kRight - 330;
        out += rect_at(legend, 24, 14, 10, "rx=\"3\" class=\"there\"/>\n");
        out += text_at(legend + 20, 33, "class=\"soft\"", "to the larger number");
        out += rect_at(legend + 165, 24, 14, 10, "rx=\"3\" class=\"back\"/>\n");
        out += text_at(legend + 185, 33, "class=\"soft\"", "to the smaller number");
        return out;
    }

    [[nodiscard]] std::string grid(double bottom) const {
        const DtnTime step = grid_step(view_.to - view_.from);
        std::string out;
        for (DtnTime at = (view_.from + step - 1) / step * step; at <= view_.to; at += step) {
            const std::string x = svg_number(x_of(at));
            out += "<line class=\"grid\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" +
                   svg_number(kTop - 6) + "\" y2=\"" + svg_number(bottom) + "\"/>\n";
            out += text_at(x_of(at), kTop - 12, "class=\"soft\" text-anchor=\"middle\"",
                           grid_label(plan_, at, step));
        }
        return out;
    }

    std::string row(const Direction &direction, const std::vector<const PlanContact *> &contacts,
                    double y) const {
        const char *const kind = direction.first < direction.second
                                     ? "rx=\"3\" class=\"bar there\">"
                                     : "rx=\"3\" class=\"bar back\">";
        std::string out;
        for (const PlanContact *contact : contacts) {
            const double x = x_of(contact->start);
            // A narrow gap separates adjacent contacts; the shortest contact is a line.
            const double width = std::max(1.0, x_of(contact->end) - x - 1);
            const std::string rate = rate_text(contact->rate);
            out += rect_at(x, y, width, kBar, kind) + "<title>contact " +
                   std::to_string(contact->id) + ": " + label(direction) + "\n" +
                   moment_text(plan_, contact->start) + " to " + moment_text(plan_, contact->end) +
                   "\n" + rate + ", one-way light time " + owlt_text(contact->owlt) +
                   "</title></rect>\n";
            if (width > kLetter * static_cast<double>(rate.size()) + 6)
                out += text_at(x + width / 2, y + kBar / 2 + 4,
                               "class=\"on\" text-anchor=\"middle\"", rate);
        }
        return out;
    }

    const ContactPlan &plan_;
    const TimelineView &view_;
    std::map<Direction, std::vector<std::pair<Direction, std::vector<const PlanContact *>>>> pairs_;
    double left_ = 0;
    std::string bars_;
};

}  // namespace

bool fits_a_picture(const ContactPlan &plan, const TimelineView &view) {
    std::size_t rows = 0;
    std::size_t bars = 0;
    for (const auto &[direction, contacts] : by_direction(plan, view.node)) {
        const auto count = static_cast<std::size_t>(std::ranges::count_if(
            contacts, [&](const PlanContact *contact) { return seen(*contact, view); }));
        rows += count > 0 ? 1 : 0;
        bars += count;
    }
    return rows <= kMostTimelineRows && bars <= kMostTimelineBars;
}

std::string timeline_svg(const ContactPlan &plan, const TimelineView &view) {
    return Picture(plan, view).draw();
}

}  // namespace farlink::ctl
