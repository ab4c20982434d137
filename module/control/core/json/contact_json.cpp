// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/contact_json.hpp"

#include <algorithm>

#include "common/config/fields/instant.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/json/moment.hpp"
#include "common/plan/ion_plan.hpp"

namespace farlink::control {

using nlohmann::ordered_json;

namespace {

/// An object of numbers and texts with few members, as each valid contact is.
bool is_plain(const ordered_json &contact) {
    constexpr std::size_t kFewMembers = 32;
    if (!contact.is_object() || contact.size() > kFewMembers) return false;
    const auto &members = contact.get_ref<const ordered_json::object_t &>();
    return std::ranges::none_of(members, [](const auto &member) {
        return member.second.is_structured() || member.second.is_binary();
    });
}

config::JsonValue checkable(const ordered_json &value) {
    using Kind = config::JsonValue::Kind;
    config::JsonValue made;
    if (value.is_string()) {
        made.kind = Kind::kText;
        made.text = value.get_ref<const std::string &>();
    } else if (value.is_boolean()) {
        made.kind = Kind::kBoolean;
        made.boolean = value.get<bool>();
    } else if (value.is_number_integer() && (value.is_number_unsigned() || value >= 0)) {
        made.kind = Kind::kInteger;
        made.integer = value.get<std::uint64_t>();
        made.number = static_cast<double>(made.integer);
    } else if (value.is_number()) {
        made.kind = Kind::kNumber;
        made.number = value.get<double>();
        made.text = value.dump();
    }
    return made;
}

/// A plain contact; `made` lends its memory.
void make_checkable(const ordered_json &contact, config::JsonValue &made) {
    made.kind = config::JsonValue::Kind::kObject;
    made.members.clear();
    for (const auto &[key, value] : contact.get_ref<const ordered_json::object_t &>())
        made.members.push_back({key, checkable(value)});
}

}  // namespace

ordered_json to_json(const config::PlanContact &contact) {
    constexpr double kNanoseconds = 1e9;
    constexpr double kMilliseconds = 1e3;
    ordered_json json{{"contact", contact.id},
                      {"source", contact.source.value()},
                      {"dest", contact.destination.value()},
                      {"startTime", config::format_utc(contact.start)},
                      {"endTime", config::format_utc(contact.end)},
                      {"rateBitsPerSec", contact.rate.value()},
                      {"owlt", static_cast<double>(contact.owlt.count()) / kNanoseconds}};
    if (contact.periodic())
        json["repeatSeconds"] = static_cast<double>(contact.repeat) / kMilliseconds;
    if (contact.until != kDtnNever) json["until"] = config::format_utc(contact.until);
    return json;
}

ordered_json to_json(const std::vector<config::PlanContact> &contacts) {
    ordered_json list = ordered_json::array();
    for (const config::PlanContact &contact : contacts) list.push_back(to_json(contact));
    return list;
}

bus::Contact bus_contact(const config::PlanContact &contact) {
    return {contact.id,  contact.source, contact.destination, contact.start,
            contact.end, contact.rate,   contact.owlt};
}

Result<std::vector<config::PlanContact>, config::ConfigErrors> contacts_from_json(
    const ordered_json &contacts, DtnTime now) {
    config::JsonValue contact;
    const auto next = [&](std::size_t index) -> const config::JsonValue & {
        make_checkable(contacts[index], contact);
        return contact;
    };
    // Anything else has an error, for which its text is read.
    const auto plan = contacts.is_array() && std::ranges::all_of(contacts, is_plain)
                          ? config::take_contact_plan(contacts.size(), next)
                          : config::parse_contact_plan(
                                ordered_json({{"contacts", contacts}})
                                    .dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    if (!plan) return fail(plan.error());
    return plan->resolve(now);
}

Result<ordered_json, config::ConfigErrors> contacts_from_ion(std::string_view text, DtnTime now) {
    const auto plan = config::parse_ion_plan(text, now);
    if (!plan) return fail(plan.error());
    return to_json(plan->resolve(now));
}

}  // namespace farlink::control
