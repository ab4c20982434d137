// SPDX-License-Identifier: Apache-2.0
#include "common/plan/write_plan.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/config/fields/instant.hpp"
#include "common/plan/contact_fields.hpp"
#include "common/plan/plan_checks.hpp"
#include "common/plan/repeats.hpp"

namespace farlink::config {
namespace {

std::string json_time(const ContactPlan &plan, DtnTime time) {
    return plan.absolute ? '"' + format_utc(time) + '"' : decimal(time, 3);
}

/// One contact; `space`: between its members and their values, or nothing.
void put_contact(std::string &text, const ContactPlan &plan, const PlanContact &contact,
                 std::string_view space) {
    bool first = true;
    const auto put = [&](std::string_view key, const std::string &value) {
        if (!std::exchange(first, false)) text.append(",").append(space);
        text.append("\"").append(key).append("\":").append(space).append(value);
    };
    put("contact", std::to_string(contact.id));
    put("source", std::to_string(contact.source.value()));
    put("dest", std::to_string(contact.destination.value()));
    put("startTime", json_time(plan, contact.start));
    put("endTime", json_time(plan, contact.end));
    if (contact.rate.value() != 0) put("rateBitsPerSec", std::to_string(contact.rate.value()));
    if (contact.owlt != Duration{})
        put("owlt", decimal(static_cast<std::uint64_t>(contact.owlt.count()), 9));
    if (contact.periodic()) put("repeatSeconds", decimal(contact.repeat, 3));
    if (contact.until != kDtnNever) put("until", json_time(plan, contact.until));
}

/// "+12" or "2026/01/02-03:04:05", of whole seconds.
std::string ion_time(const ContactPlan &plan, std::uint64_t second) {
    if (!plan.absolute) return '+' + std::to_string(second);
    std::string text = format_utc(second * 1000).substr(0, 19);
    text[4] = text[7] = '/';
    text[10] = '-';
    return text;
}

/// The contact in ION's units.
struct IonContact {
    NodeNumber source;
    NodeNumber destination;
    std::uint64_t start = 0;  ///< seconds
    std::uint64_t end = 0;
    std::uint64_t rate_bytes = 0;
    std::uint64_t owlt = 0;  ///< seconds
};

/// Rounds, and reports the losses.
IonContact rounded(const PlanContact &contact, ConfigErrors &losses) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const auto owlt = static_cast<std::uint64_t>(contact.owlt.count());
    IonContact made{contact.source,     contact.destination,      (contact.start + 999) / 1000,
                    contact.end / 1000, contact.rate.value() / 8, (owlt + kSecond - 1) / kSecond};
    const auto lost = [&](const char *what, const char *instead) {
        losses.add({"contact " + std::to_string(contact.id), what, "", instead});
    };
    if (contact.start % 1000 != 0 || contact.end % 1000 != 0)
        lost("ION's times are whole seconds", "its start is rounded up, its end down");
    if (owlt % kSecond != 0) lost("ION's one-way light times are whole seconds", "rounded up");
    if (contact.rate.value() == 0) {
        lost("ION requires a rate", "writing 10 Tbit/s");
        made.rate_bytes = kHighestRateBitsPerSecond / 8;
    } else if (contact.rate.value() % 8 != 0) {
        lost("ION's rates are whole bytes per second", "rounded down");
    }
    if (made.start >= made.end || made.rate_bytes == 0) {
        lost("less than a second or 8 bit/s", "the contact is left out");
        made.end = made.start;
    }
    return made;
}

/// For each direction, the intervals of one light time, from its first contact to the last before
/// the light time changes.
std::vector<IonContact> stretches_of(std::vector<IonContact> contacts) {
    std::ranges::sort(contacts, {}, [](const IonContact &contact) {
        return std::tuple(contact.source, contact.destination, contact.start);
    });
    std::vector<IonContact> stretches;
    for (const IonContact &contact : contacts) {
        IonContact *const last = stretches.empty() ? nullptr : &stretches.back();
        const bool goes_on = last != nullptr && last->source == contact.source &&
                             last->destination == contact.destination && last->owlt == contact.owlt;
        if (goes_on)
            last->end = contact.end;
        else
            stretches.push_back(contact);
    }
    return stretches;
}

/// Whether the range of one direction, which also applies to the other, is sufficient.
bool implied(const std::vector<IonContact> &stretches, const IonContact &back) {
    if (back.source < back.destination) return false;
    const auto key = [](const IonContact &stretch) {
        return std::tuple(stretch.source, stretch.destination, stretch.start);
    };
    const auto after = std::ranges::upper_bound(
        stretches, std::tuple(back.destination, back.source, back.start), {}, key);
    if (after == stretches.begin()) return false;
    const IonContact &there = *std::prev(after);
    return there.source == back.destination && there.destination == back.source &&
           there.end >= back.end && there.owlt == back.owlt;
}

/// Of one contact, so that all of them stay within the limit of a plan.
std::uint64_t repeats_for_ion(const ContactPlan &plan) {
    const auto periodic =
        static_cast<std::uint64_t>(std::ranges::count_if(plan.contacts, &PlanContact::periodic));
    return std::min(kMostIonRepeats, kMostContacts / std::max<std::uint64_t>(periodic, 1));
}

}  // namespace

std::string write_json_plan(const ContactPlan &plan) {
    std::string text = "{\n  \"contacts\": [";
    std::string_view separator = "\n";
    for (const PlanContact &contact : plan.contacts) {
        text.append(separator) += "    { ";
        put_contact(text, plan, contact, " ");
        text += " }";
        separator = ",\n";
    }
    return text + (plan.contacts.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string write_json_contacts(const ContactPlan &plan) {
    std::string text = "[";
    for (const PlanContact &contact : plan.contacts) {
        if (text.size() > 1) text += ',';
        text += '{';
        put_contact(text, plan, contact, "");
        text += '}';
    }
    return text += ']';
}

IonText write_ion_plan(const ContactPlan &plan) {
    IonText out;
    out.text =
        "# Contact plan: start, stop, from, to, bytes per second; ranges in light seconds.\n";
    std::vector<IonContact> contacts;
    const std::uint64_t most = repeats_for_ion(plan);
    for (const PlanContact &contact : plan.contacts)
        if (repeat_count(contact) > most)
            out.losses.add({"contact " + std::to_string(contact.id), "ION has no periodic contacts",
                            "", "the first " + std::to_string(most) + " repeats are written"});
    for (const PlanContact &contact : expanded(plan.contacts, 0, kDtnNever, most))
        if (const IonContact made = rounded(contact, out.losses); made.start < made.end)
            contacts.push_back(made);
    if (contacts.empty()) out.text += "m horizon 0\n";
    const auto put = [&](const char *what, const IonContact &contact, std::uint64_t value) {
        out.text += "a " + std::string(what) + ' ' + ion_time(plan, contact.start) + ' ' +
                    ion_time(plan, contact.end) + ' ' + std::to_string(contact.source.value()) +
                    ' ' + std::to_string(contact.destination.value()) + ' ' +
                    std::to_string(value) + '\n';
    };
    for (const IonContact &contact : contacts) put("contact", contact, contact.rate_bytes);
    const std::vector<IonContact> stretches = stretches_of(std::move(contacts));
    for (const IonContact &stretch : stretches)
        if (!implied(stretches, stretch)) put("range", stretch, stretch.owlt);
    return out;
}

}  // namespace farlink::config
