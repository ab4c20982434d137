// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/contact_json.hpp"

#include "common/config/fields/instant.hpp"
#include "common/json/moment.hpp"
#include "common/plan/ion_plan.hpp"

namespace farlink::control {

using nlohmann::ordered_json;

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
    const auto plan = config::parse_contact_plan(
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
