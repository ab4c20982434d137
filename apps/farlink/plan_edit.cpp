// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/plan_edit.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "common/config/instant.hpp"

namespace farlink::app {
namespace {

using config::ConfigError;
using config::ConfigErrors;
using nlohmann::ordered_json;

ConfigErrors wrong(std::size_t index, std::string problem, std::string expected) {
    return {{},
            {{config::item_path("contacts", index), std::move(problem), std::move(expected), {}}}};
}

std::optional<std::uint64_t> number_of(const ordered_json &value) {
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value < 0))
        return std::nullopt;
    return value.get<std::uint64_t>();
}

std::string unknown(std::uint64_t number) {
    return "found " + std::to_string(number) + ", which the running plan does not have";
}

/// Seconds count from now; what cannot be such a time stays for the check of the plan.
void make_absolute(ordered_json &time, DtnTime now) {
    constexpr double kTenYearsSeconds = 10.0 * 365 * 86'400;
    if (!time.is_number()) return;
    const double ahead = time.get<double>();
    if (!(ahead >= 0 && ahead <= kTenYearsSeconds)) return;
    if (const auto whole = config::whole_milliseconds(ahead))
        time = config::format_utc(now + *whole);
}

EditResult checked(const ordered_json &contacts) {
    return contacts_from_json(contacts, 0);
}

}  // namespace

EditResult replace_contacts(const ordered_json &contacts, DtnTime now) {
    return contacts_from_json(contacts, now);
}

EditResult add_contacts(const Contacts &plan, const ordered_json &contacts, DtnTime now) {
    const auto added = contacts_from_json(contacts, now);
    if (!added) return fail(added.error());
    // The new ones first, so that they have the places that the asker gave them.
    ordered_json all = to_json(*added);
    for (const bus::Contact &contact : plan) all.push_back(to_json(contact));
    return checked(all);
}

EditResult change_contacts(const Contacts &plan, const ordered_json &contacts, DtnTime now) {
    if (!contacts.is_array())
        return fail(ConfigErrors{{}, {{"contacts", "found no list", "a list of contacts", {}}}});
    std::map<std::uint64_t, ordered_json> changed;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto number = contacts[i].is_object() && contacts[i].contains("contact")
                                ? number_of(contacts[i]["contact"])
                                : std::nullopt;
        if (!number) return fail(wrong(i, "no number of a contact", "`contact`, and what changes"));
        const auto before = std::ranges::find(plan, *number, &bus::Contact::id);
        if (before == plan.end())
            return fail(wrong(i, unknown(*number), "the number of a contact"));
        const auto [place, fresh] = changed.emplace(*number, to_json(*before));
        if (!fresh)
            return fail(wrong(i, "found contact " + std::to_string(*number) + " twice",
                              "each contact once"));
        for (const auto &[key, value] : contacts[i].items()) place->second[key] = value;
        make_absolute(place->second["startTime"], now);
        make_absolute(place->second["endTime"], now);
    }
    // In the order of the request, for the same reason.
    ordered_json all = ordered_json::array();
    for (const ordered_json &contact : contacts)
        all.push_back(changed.at(contact["contact"].get<std::uint64_t>()));
    for (const bus::Contact &contact : plan)
        if (!changed.contains(contact.id)) all.push_back(to_json(contact));
    return checked(all);
}

EditResult remove_contacts(const Contacts &plan, const ordered_json &contacts) {
    if (!contacts.is_array())
        return fail(ConfigErrors{{}, {{"contacts", "found no list", "a list of numbers", {}}}});
    Contacts left = plan;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto number = number_of(contacts[i]);
        if (!number) return fail(wrong(i, "no number", "the number of a contact"));
        if (std::erase_if(left, [&](const bus::Contact &each) { return each.id == *number; }) == 0)
            return fail(wrong(i, unknown(*number), "the number of a contact, once"));
    }
    return left;
}

PlanDifference difference(const Contacts &before, const Contacts &after) {
    std::map<std::uint64_t, const bus::Contact *> old_ones;
    for (const bus::Contact &contact : before) old_ones.emplace(contact.id, &contact);
    PlanDifference result;
    for (const bus::Contact &contact : after) {
        const auto old_one = old_ones.find(contact.id);
        if (old_one == old_ones.end()) {
            result.added.push_back(contact);
            continue;
        }
        const bus::Contact &other = *old_one->second;
        const bool same = other.source == contact.source &&
                          other.destination == contact.destination &&
                          other.start == contact.start && other.end == contact.end &&
                          other.rate == contact.rate && other.light_time == contact.light_time;
        if (!same) result.changed.push_back(contact);
        old_ones.erase(old_one);
    }
    for (const auto &[id, contact] : old_ones) result.removed.push_back(*contact);
    return result;
}

}  // namespace farlink::app
