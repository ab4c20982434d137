// SPDX-License-Identifier: Apache-2.0
#include "common/plan/plan_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/plan/repeats.hpp"

namespace farlink::config {
namespace {

constexpr std::uint64_t kShortestRepeat = 1000;
constexpr std::uint64_t kHourOfMs = 3600 * 1000;
/// Overlaps of periodic contacts that are collected; far more than errors are listed.
constexpr std::size_t kMostOverlaps = 1000;

class PlanChecks {
public:
    PlanChecks(const std::vector<ContactRow> &rows, const PlanWording &wording,
               ConfigErrors &errors)
        : rows_(rows), wording_(wording), errors_(errors) {}

    void run() {
        std::unordered_map<std::uint64_t, std::size_t> numbers;
        numbers.reserve(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            check_number(i, numbers);
            check_nodes(i);
            check_form(i, rows_[i].start, PlanPart::kStart);
            check_form(i, rows_[i].end, PlanPart::kEnd);
            check_form(i, rows_[i].until, PlanPart::kUntil);
            check_order(i);
            check_repeats(i);
        }
        if (periodic_ > 0) check_limits();
        check_overlaps();
    }

private:
    void add(std::string path, std::string problem, std::string expected, std::string hint = {}) {
        errors_.add({std::move(path), std::move(problem), std::move(expected), std::move(hint)});
    }

    void check_number(std::size_t i, std::unordered_map<std::uint64_t, std::size_t> &numbers) {
        if (!rows_[i].has_id) return;
        const auto [place, fresh] = numbers.emplace(rows_[i].contact.id, i);
        if (!fresh)
            add(wording_.place(i, PlanPart::kNumber),
                "found " + std::to_string(rows_[i].contact.id) + ", the number of " +
                    wording_.place(place->second, PlanPart::kWhole) + " too",
                "a unique number");
    }

    void check_nodes(std::size_t i) {
        const PlanContact &contact = rows_[i].contact;
        if (contact.source != NodeNumber{} && contact.source == contact.destination)
            add(wording_.place(i, PlanPart::kDestination),
                "found " + std::to_string(contact.destination.value()) +
                    ", which is the source too",
                "another node");
    }

    /// All times of a plan have the form of the first one.
    void check_form(std::size_t i, const std::optional<Instant> &instant, PlanPart part) {
        if (!instant) return;
        if (!form_known_) {
            form_known_ = true;
            absolute_ = instant->absolute;
            first_path_ = wording_.place(i, part);
        }
        if (instant->absolute != absolute_)
            add(wording_.place(i, part),
                std::string("found ") +
                    (instant->absolute ? "a time in UTC" : "seconds from the start") + ", but " +
                    first_path_ + " is " +
                    (absolute_ ? "a time in UTC" : "in seconds from the start"),
                "one form in the whole plan");
    }

    void check_order(std::size_t i) {
        if (!comparable(i) || rows_[i].end->milliseconds > rows_[i].start->milliseconds) return;
        add(wording_.place(i, PlanPart::kEnd), "found " + in_words(*rows_[i].end),
            "a time after " + std::string(wording_.name(PlanPart::kStart)) + " (" +
                in_words(*rows_[i].start) + ')');
    }

    [[nodiscard]] std::uint64_t repeat_of(std::size_t i) const {
        return whole_milliseconds_of(rows_[i].repeat);
    }
    [[nodiscard]] bool periodic(std::size_t i) const { return rows_[i].repeat != Duration{}; }

    void check_repeats(std::size_t i) {
        const ContactRow &row = rows_[i];
        if (!periodic(i)) {
            if (row.until)
                add(wording_.place(i, PlanPart::kUntil), "found without repeatSeconds",
                    "repeatSeconds, for a contact that repeats");
            return;
        }
        ++periodic_;
        const std::uint64_t repeat = repeat_of(i);
        const std::string found = "found " + decimal(repeat, 3) + " s";
        const std::string path = wording_.place(i, PlanPart::kRepeat);
        if (row.repeat % milliseconds(1) != Duration{})
            return add(path, "found a part of a millisecond", "whole milliseconds");
        if (repeat < kShortestRepeat) return add(path, found, "at least 1 s");
        repeats_an_hour_ += kHourOfMs / repeat + 1;
        if (!comparable(i) || row.end->milliseconds <= row.start->milliseconds) return;
        const std::uint64_t length = row.end->milliseconds - row.start->milliseconds;
        if (repeat < length)
            add(path, found, "at least the length of the contact, " + decimal(length, 3) + " s",
                "it would overlap its own repeats");
        if (row.until && row.until->absolute == absolute_ &&
            row.until->milliseconds < row.end->milliseconds)
            add(wording_.place(i, PlanPart::kUntil), "found " + in_words(*row.until),
                "endTime (" + in_words(*row.end) + ") or later");
    }

    /// Of a plan with periodic contacts.
    void check_limits() {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (rows_[i].contact.id >= kRepeatNumbers)
                add(wording_.place(i, PlanPart::kNumber),
                    "found " + std::to_string(rows_[i].contact.id),
                    "a number below " + std::to_string(kRepeatNumbers) +
                        " in a plan with repeatSeconds",
                    "the repeats have the larger numbers");
        if (periodic_ > kMostPeriodic)
            add("", "found " + std::to_string(periodic_) + " contacts with repeatSeconds",
                "at most " + std::to_string(kMostPeriodic) + " in a plan");
        if (repeats_an_hour_ > kMostRepeatsAnHour)
            add("", "found " + std::to_string(repeats_an_hour_) + " repeats in an hour",
                "at most " + std::to_string(kMostRepeatsAnHour) + " in a plan");
    }

    [[nodiscard]] bool comparable(std::size_t i) const {
        const ContactRow &row = rows_[i];
        return row.start && row.end && row.start->absolute == absolute_ &&
               row.end->absolute == absolute_;
    }

    [[nodiscard]] bool fit_for_overlap(std::size_t i) const {
        const PlanContact &contact = rows_[i].contact;
        return comparable(i) && contact.source != NodeNumber{} &&
               contact.destination != NodeNumber{} &&
               rows_[i].start->milliseconds < rows_[i].end->milliseconds;
    }

    /// A contact that is fit for it, with its times.
    [[nodiscard]] PlanContact timed(std::size_t i) const {
        PlanContact contact = rows_[i].contact;
        contact.start = rows_[i].start->milliseconds;
        contact.end = rows_[i].end->milliseconds;
        contact.repeat = repeat_of(i);
        if (rows_[i].until) contact.until = rows_[i].until->milliseconds;
        return contact;
    }
    /// Its repeats are valid by themselves.
    [[nodiscard]] bool fit_to_repeat(std::size_t i) const {
        const std::uint64_t repeat = repeat_of(i);
        return fit_for_overlap(i) && repeat >= kShortestRepeat &&
               repeat >= rows_[i].end->milliseconds - rows_[i].start->milliseconds;
    }

    /// A periodic contact against all others of its direction.
    void add_overlaps(std::size_t i, const std::vector<std::size_t> &others, std::size_t from) {
        const PlanContact contact = timed(i);
        for (std::size_t at = from; at < others.size(); ++at) {
            if (overlaps_.size() == kMostOverlaps) return;
            const std::size_t other = others[at];
            if (meet(contact, timed(other)))
                overlaps_.emplace_back(std::max(i, other), std::min(i, other));
        }
    }

    void check_direction(const std::vector<std::size_t> &periodic,
                         const std::vector<std::size_t> &single) {
        if (periodic.size() > kMostPeriodicOfDirection)
            return add(wording_.place(periodic.back(), PlanPart::kWhole),
                       "found " + std::to_string(periodic.size()) +
                           " contacts with repeatSeconds from one node to another",
                       "at most " + std::to_string(kMostPeriodicOfDirection));
        for (std::size_t at = 0; at < periodic.size(); ++at) {
            add_overlaps(periodic[at], periodic, at + 1);
            add_overlaps(periodic[at], single, 0);
        }
    }

    void check_periodic_overlaps() {
        using Direction = std::pair<NodeNumber, NodeNumber>;
        std::map<Direction, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> found;
        const auto direction = [this](std::size_t i) {
            return Direction{rows_[i].contact.source, rows_[i].contact.destination};
        };
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (periodic(i) && fit_to_repeat(i)) found[direction(i)].first.push_back(i);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (periodic(i) || !fit_for_overlap(i)) continue;
            const auto place = found.find(direction(i));
            if (place != found.end()) place->second.second.push_back(i);
        }
        for (const auto &[pair, contacts] : found) check_direction(contacts.first, contacts.second);
    }

    /// For each pair of nodes, in order of time, every contact begins after the end of all before
    /// it. Violations are reported in the order of the file.
    void check_overlaps() {
        std::vector<std::size_t> order;
        order.reserve(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (fit_for_overlap(i) && !periodic(i)) order.push_back(i);
        const auto place = [this](std::size_t i) {
            const PlanContact &contact = rows_[i].contact;
            return std::tuple(contact.source, contact.destination, rows_[i].start->milliseconds, i);
        };
        // Most plans are written in this order.
        if (!std::ranges::is_sorted(order, {}, place)) std::ranges::sort(order, {}, place);
        std::size_t longest = 0;
        for (std::size_t at = 0; at < order.size(); ++at) {
            const std::size_t i = order[at];
            const bool same_pair =
                at > 0 && rows_[longest].contact.source == rows_[i].contact.source &&
                rows_[longest].contact.destination == rows_[i].contact.destination;
            if (same_pair && rows_[i].start->milliseconds < rows_[longest].end->milliseconds)
                overlaps_.emplace_back(std::max(i, longest), std::min(i, longest));
            if (!same_pair || rows_[i].end->milliseconds > rows_[longest].end->milliseconds)
                longest = i;
        }
        if (periodic_ > 0) check_periodic_overlaps();
        std::ranges::sort(overlaps_);
        for (const auto &[second, first] : overlaps_) report_overlap(first, second);
    }

    /// "contact 7, 0 s to 10 s"; a form without ids has the times only.
    [[nodiscard]] std::string span(std::size_t i, std::string_view place = {}) const {
        std::string text =
            rows_[i].has_id ? "contact " + std::to_string(rows_[i].contact.id) : std::string();
        if (!place.empty()) text += (text.empty() ? "the one in " : " in ") + std::string(place);
        if (!text.empty()) text += ", ";
        text += in_words(*rows_[i].start) + " to " + in_words(*rows_[i].end);
        return periodic(i) ? text + " every " + decimal(repeat_of(i), 3) + " s" : text;
    }

    void report_overlap(std::size_t first, std::size_t second) {
        const PlanContact &one = rows_[first].contact;
        const PlanContact &other = rows_[second].contact;
        std::string problem = span(second) + ", overlaps " +
                              span(first, wording_.place(first, PlanPart::kWhole)) +
                              ", also from node " + std::to_string(one.source.value()) +
                              " to node " + std::to_string(one.destination.value());
        std::string hint = "the two agree: make them one contact";
        if (one.rate != other.rate)
            hint = "they contradict each other: " + std::string(wording_.name(PlanPart::kRate)) +
                   " is " + std::to_string(one.rate.value()) + " there and " +
                   std::to_string(other.rate.value()) + " here";
        else if (one.owlt != other.owlt)
            hint = "they contradict each other: owlt differs";
        else if (periodic(first) || periodic(second))
            hint = "repeats of the two are open at the same time";
        add(wording_.place(second, PlanPart::kWhole), std::move(problem),
            "one contact at a time from one node to another", std::move(hint));
    }

    const std::vector<ContactRow> &rows_;
    const PlanWording &wording_;
    ConfigErrors &errors_;
    std::vector<std::pair<std::size_t, std::size_t>> overlaps_;  ///< the later in the file first
    std::size_t periodic_ = 0;
    std::uint64_t repeats_an_hour_ = 0;
    bool form_known_ = false;
    bool absolute_ = false;
    std::string first_path_;
};

}  // namespace

void check_plan(const std::vector<ContactRow> &rows, const PlanWording &wording,
                ConfigErrors &errors) {
    PlanChecks(rows, wording, errors).run();
}

std::uint64_t whole_milliseconds_of(Duration duration) {
    return static_cast<std::uint64_t>(duration / milliseconds(1));
}

std::string in_words(const Instant &instant) {
    if (instant.absolute) return format_utc(instant.milliseconds);
    return decimal(instant.milliseconds, 3) + " s";
}

std::string decimal(std::uint64_t count, unsigned digits) {
    std::string text = std::to_string(count);
    if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
    std::string fraction = text.substr(text.size() - digits);
    text.resize(text.size() - digits);
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
    return fraction.empty() ? text : text + '.' + fraction;
}

ConfigError too_many_contacts(std::string place) {
    return {std::move(place), "too many contacts",
            "at most " + std::to_string(kMostContacts) + " in a plan",
            "remove past contacts, and give the node the plan of the next days"};
}

}  // namespace farlink::config
