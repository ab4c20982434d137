// SPDX-License-Identifier: Apache-2.0
#include "common/config/contact_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "common/config/contact_fields.hpp"
#include "common/config/instant.hpp"
#include "common/config/section_checker.hpp"
#include "common/config/text_file.hpp"

namespace farlink::config {
namespace {

std::string in_words(const Instant &instant) {
    if (instant.absolute) return format_utc(instant.milliseconds);
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%g s",
                  static_cast<double>(instant.milliseconds) / 1000);
    return text.data();
}

std::string contact_path(std::size_t index) {
    return item_path("contacts", index);
}

/// Checks the contacts of a plan against each other. What was wrong in itself is passed over.
class PlanChecks {
public:
    PlanChecks(const std::vector<ContactRow> &rows, std::vector<ConfigError> &errors)
        : rows_(rows), errors_(errors) {}

    void run() {
        std::map<std::uint64_t, std::size_t> numbers;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            check_number(i, numbers);
            check_nodes(i);
            check_form(i, rows_[i].start, ".startTime");
            check_form(i, rows_[i].end, ".endTime");
            check_order(i);
        }
        check_overlaps();
    }

private:
    void add(std::string path, std::string problem, std::string expected, std::string hint = {}) {
        errors_.push_back(
            {std::move(path), std::move(problem), std::move(expected), std::move(hint)});
    }

    void check_number(std::size_t i, std::map<std::uint64_t, std::size_t> &numbers) {
        if (!rows_[i].has_id) return;
        const auto [place, fresh] = numbers.emplace(rows_[i].contact.id, i);
        if (!fresh)
            add(contact_path(i) + ".contact",
                "found " + std::to_string(rows_[i].contact.id) + ", the number of " +
                    contact_path(place->second) + " too",
                "a number of its own");
    }

    void check_nodes(std::size_t i) {
        const PlanContact &contact = rows_[i].contact;
        if (contact.source != NodeNumber{} && contact.source == contact.destination)
            add(contact_path(i) + ".dest",
                "found " + std::to_string(contact.destination.value()) +
                    ", which is the source too",
                "another node");
    }

    /// All times of a plan have the form of its first one.
    void check_form(std::size_t i, const std::optional<Instant> &instant, const char *key) {
        if (!instant) return;
        if (!form_known_) {
            form_known_ = true;
            absolute_ = instant->absolute;
            first_path_ = contact_path(i) + key;
        }
        if (instant->absolute != absolute_)
            add(contact_path(i) + key,
                std::string("found ") +
                    (instant->absolute ? "a time in UTC" : "seconds from the start") + ", but " +
                    first_path_ + " is " +
                    (absolute_ ? "a time in UTC" : "in seconds from the start"),
                "one form in the whole plan");
    }

    void check_order(std::size_t i) {
        if (!comparable(i) || rows_[i].end->milliseconds > rows_[i].start->milliseconds) return;
        add(contact_path(i) + ".endTime", "found " + in_words(*rows_[i].end),
            "a time after startTime (" + in_words(*rows_[i].start) + ')');
    }

    [[nodiscard]] bool comparable(std::size_t i) const {
        const ContactRow &row = rows_[i];
        return row.start && row.end && row.start->absolute == absolute_ &&
               row.end->absolute == absolute_;
    }

    /// Within each pair of nodes, in order of time, every contact begins after all before it.
    void check_overlaps() {
        std::map<std::pair<NodeNumber, NodeNumber>, std::vector<std::size_t>> pairs;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const PlanContact &contact = rows_[i].contact;
            const bool valid = comparable(i) && contact.source != NodeNumber{} &&
                               contact.destination != NodeNumber{} &&
                               rows_[i].start->milliseconds < rows_[i].end->milliseconds;
            if (valid) pairs[{contact.source, contact.destination}].push_back(i);
        }
        for (auto &[pair, indices] : pairs) {
            std::ranges::sort(indices, {}, [this](std::size_t i) {
                return std::pair(rows_[i].start->milliseconds, i);
            });
            std::size_t longest = indices.front();
            for (std::size_t at = 1; at < indices.size(); ++at) {
                const std::size_t i = indices[at];
                if (rows_[i].start->milliseconds < rows_[longest].end->milliseconds)
                    report_overlap(std::min(i, longest), std::max(i, longest));
                if (rows_[i].end->milliseconds > rows_[longest].end->milliseconds) longest = i;
            }
        }
    }

    void report_overlap(std::size_t first, std::size_t second) {
        const PlanContact &one = rows_[first].contact;
        const PlanContact &other = rows_[second].contact;
        std::string problem = "overlaps " + contact_path(first) + ", also from node " +
                              std::to_string(one.source.value()) + " to node " +
                              std::to_string(one.destination.value()) + " (" +
                              in_words(*rows_[first].start) + " to " + in_words(*rows_[first].end) +
                              ')';
        std::string hint = "the two say the same: make them one contact";
        if (one.rate != other.rate)
            hint = "they contradict each other: rateBitsPerSec is " +
                   std::to_string(one.rate.value()) + " there and " +
                   std::to_string(other.rate.value()) + " here";
        else if (one.light_time != other.light_time)
            hint = "they contradict each other: owlt differs";
        add(contact_path(second), std::move(problem),
            "one contact at a time from one node to another", std::move(hint));
    }

    const std::vector<ContactRow> &rows_;
    std::vector<ConfigError> &errors_;
    bool form_known_ = false;
    bool absolute_ = false;
    std::string first_path_;
};

}  // namespace

std::vector<PlanContact> ContactPlan::resolve(DtnTime plan_start) const {
    std::vector<PlanContact> resolved = contacts;
    if (absolute) return resolved;
    for (PlanContact &contact : resolved) {
        contact.start = saturating_add(plan_start, contact.start);
        contact.end = saturating_add(plan_start, contact.end);
    }
    return resolved;
}

Result<ContactPlan, ConfigErrors> parse_contact_plan(std::string_view json) {
    ConfigErrors errors;
    const auto object = check_document(contact_plan_table().info(), json, errors.errors);
    if (!object) return fail(std::move(errors));
    const ContactRows rows = contact_plan_table().build(*object);
    PlanChecks(rows.contacts, errors.errors).run();
    if (!errors.errors.empty()) return fail(std::move(errors));

    ContactPlan plan;
    plan.contacts.reserve(rows.contacts.size());
    for (const ContactRow &row : rows.contacts) {
        PlanContact &contact = plan.contacts.emplace_back(row.contact);
        contact.start = row.start->milliseconds;
        contact.end = row.end->milliseconds;
        plan.absolute = row.start->absolute;
    }
    return plan;
}

Result<ContactPlan, ConfigErrors> load_contact_plan(const std::string &path) {
    const auto text = read_text_file(path);
    if (!text) return fail(ConfigErrors{path, {text.error()}});
    auto plan = parse_contact_plan(*text);
    if (!plan) plan.error().source = path;
    return plan;
}

}  // namespace farlink::config
