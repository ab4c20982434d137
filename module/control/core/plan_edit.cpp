// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/plan_edit.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/plan/repeats.hpp"

namespace farlink::control {
namespace {

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

/// Turns seconds from now into UTC; any other value stays, and the check of the plan reports it.
void make_absolute(ordered_json &time, DtnTime now) {
    constexpr double kTenYearsSeconds = 10.0 * 365 * 86'400;
    if (!time.is_number()) return;
    const double ahead = time.get<double>();
    if (!(ahead >= 0 && ahead <= kTenYearsSeconds)) return;
    if (const auto whole = config::whole_milliseconds(ahead))
        time = config::format_utc(now + *whole);
}

/// Contacts of the running plan, by number.
using Replaced = std::unordered_map<std::uint64_t, config::PlanContact>;

Replaced with_numbers(const Contacts &plan, const std::set<std::uint64_t> &numbers) {
    // One pass over the plan, of which few contacts are wanted.
    const std::vector<std::uint64_t> wanted(numbers.begin(), numbers.end());
    Replaced found;
    for (const config::PlanContact &contact : plan)
        if (std::ranges::binary_search(wanted, contact.id)) found.emplace(contact.id, contact);
    return found;
}

/// New contacts of a plan without periodic ones, valid by themselves.
class Newcomers {
public:
    explicit Newcomers(Contacts contacts) : contacts_(std::move(contacts)) {
        std::ranges::sort(contacts_, {}, place_of);
        for (const config::PlanContact &contact : contacts_) numbers_.push_back(contact.id);
        std::ranges::sort(numbers_);
    }
    /// One of them has the number of `other`, or is open at the same time in the same direction.
    [[nodiscard]] bool meet(const config::PlanContact &other) const {
        if (std::ranges::binary_search(numbers_, other.id)) return true;
        if (other.periodic()) return meets_repeats(other);
        const auto behind = std::ranges::lower_bound(
            contacts_, std::tuple(other.source, other.destination, other.end), {}, place_of);
        if (behind == contacts_.begin()) return false;
        const config::PlanContact &last = *std::prev(behind);
        return last.source == other.source && last.destination == other.destination &&
               last.end > other.start;
    }

private:
    [[nodiscard]] bool meets_repeats(const config::PlanContact &other) const {
        if (numbers_.back() >= config::kRepeatNumbers) return true;
        const auto direction = std::tuple(other.source, other.destination, DtnTime{});
        for (auto each = std::ranges::lower_bound(contacts_, direction, {}, place_of);
             each != contacts_.end() && each->source == other.source &&
             each->destination == other.destination;
             ++each)
            if (config::meet(other, *each)) return true;
        return false;
    }
    static std::tuple<NodeNumber, NodeNumber, DtnTime> place_of(
        const config::PlanContact &contact) {
        return {contact.source, contact.destination, contact.start};
    }
    Contacts contacts_;  ///< in each direction by start, and none overlap
    std::vector<std::uint64_t> numbers_;
};

/// Whether valid contacts fit beside those of `plan` that they do not replace. False does not mean
/// that they do not: for periodic ones the whole plan is read.
bool fit(const Contacts &fresh, const Contacts &plan, const Replaced &replaced) {
    if (std::ranges::any_of(fresh, &config::PlanContact::periodic)) return false;
    if (fresh.empty()) return true;
    if (plan.size() - replaced.size() + fresh.size() > config::kMostContacts) return false;
    const Newcomers newcomers(fresh);
    return std::ranges::none_of(plan, [&](const config::PlanContact &contact) {
        return newcomers.meet(contact) && !replaced.contains(contact.id);
    });
}

/// All errors of the new contacts, or none, in the time that reading a whole plan takes. The new
/// contacts come first, so that errors have their places in the request.
config::ConfigErrors reasons(ordered_json fresh, const Contacts &plan, const Replaced &replaced) {
    for (const config::PlanContact &contact : plan)
        if (!replaced.contains(contact.id)) fresh.push_back(to_json(contact));
    const auto whole = contacts_from_json(fresh, 0);
    return whole ? ConfigErrors{} : whole.error();
}

Contacts joined(Contacts one, const Contacts &other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

}  // namespace

PlanDifference difference(const Contacts &before, const Contacts &after) {
    std::unordered_map<std::uint64_t, const config::PlanContact *> old_ones;
    for (const config::PlanContact &contact : before) old_ones.emplace(contact.id, &contact);
    PlanDifference result;
    for (const config::PlanContact &contact : after) {
        const auto old_one = old_ones.find(contact.id);
        if (old_one == old_ones.end()) {
            result.added.push_back(contact);
            continue;
        }
        if (*old_one->second != contact) {
            result.changed.push_back(contact);
            result.before.push_back(*old_one->second);
        }
        old_ones.erase(old_one);
    }
    for (const config::PlanContact &contact : before)
        if (old_ones.contains(contact.id)) result.removed.push_back(contact);
    return result;
}

Contacts PlanDifference::gone() const {
    return joined(removed, before);
}

Contacts PlanDifference::come() const {
    return joined(changed, added);
}

EditResult replace_contacts(const Contacts &plan, const ordered_json &contacts, DtnTime now) {
    const auto after = contacts_from_json(contacts, now);
    if (!after) return fail(after.error());
    return difference(plan, *after);
}

EditResult add_contacts(const Contacts &plan, const ordered_json &contacts, DtnTime now) {
    auto added = contacts_from_json(contacts, now);
    if (!added) return fail(added.error());
    if (!fit(*added, plan, {}))
        if (auto errors = reasons(to_json(*added), plan, {}); !errors.empty())
            return fail(std::move(errors));
    PlanDifference result;
    result.added = std::move(*added);
    return result;
}

EditResult change_contacts(const Contacts &plan, const ordered_json &contacts, DtnTime now) {
    if (!contacts.is_array())
        return fail(ConfigErrors{{}, {{"contacts", "found no list", "a list of contacts", {}}}});
    std::set<std::uint64_t> numbers;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto number = contacts[i].is_object() && contacts[i].contains("contact")
                                ? number_of(contacts[i]["contact"])
                                : std::nullopt;
        if (!number)
            return fail(wrong(i, "found no contact number", "`contact` and the members to change"));
        if (!numbers.insert(*number).second)
            return fail(wrong(i, "found contact " + std::to_string(*number) + " twice",
                              "each contact once"));
    }
    const auto before = with_numbers(plan, numbers);
    ordered_json changed = ordered_json::array();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto number = *number_of(contacts[i]["contact"]);
        const auto known = before.find(number);
        if (known == before.end())
            return fail(wrong(i, unknown(number), "the number of a contact"));
        ordered_json &contact = changed.emplace_back(to_json(known->second));
        for (const auto &[key, value] : contacts[i].items()) contact[key] = value;
        make_absolute(contact["startTime"], now);
        make_absolute(contact["endTime"], now);
        if (contact.contains("until")) make_absolute(contact["until"], now);
        if (contact.contains("repeatSeconds") && contact["repeatSeconds"] == 0)
            contact.erase("until");
    }
    const auto after = contacts_from_json(changed, 0);
    if (!after || !fit(*after, plan, before)) {
        auto errors = reasons(changed, plan, before);
        if (!errors.empty()) return fail(std::move(errors));
        if (!after) return fail(after.error());
    }
    PlanDifference result;
    for (const config::PlanContact &contact : *after) {
        if (before.at(contact.id) == contact) continue;
        result.changed.push_back(contact);
        result.before.push_back(before.at(contact.id));
    }
    return result;
}

EditResult remove_contacts(const Contacts &plan, const ordered_json &contacts) {
    if (!contacts.is_array())
        return fail(ConfigErrors{{}, {{"contacts", "found no list", "a list of numbers", {}}}});
    std::set<std::uint64_t> numbers;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto number = number_of(contacts[i]);
        if (!number) return fail(wrong(i, "no number", "the number of a contact"));
        if (!numbers.insert(*number).second)
            return fail(wrong(i, "found " + std::to_string(*number) + " twice",
                              "the number of a contact, once"));
    }
    const auto known = with_numbers(plan, numbers);
    PlanDifference result;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto number = *number_of(contacts[i]);
        const auto contact = known.find(number);
        if (contact == known.end())
            return fail(wrong(i, unknown(number), "the number of a contact"));
        result.removed.push_back(contact->second);
    }
    return result;
}

}  // namespace farlink::control
