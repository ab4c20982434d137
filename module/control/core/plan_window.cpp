// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/plan_window.hpp"

#include <algorithm>
#include <ranges>

#include "common/plan/repeats.hpp"

namespace farlink::control {
namespace {

using config::PlanContact;

/// The window moves when this part of it has passed.
constexpr std::uint64_t kMovesPerHorizon = 16;
/// Steps that take longer than this part of it are taken at once.
constexpr std::uint64_t kLongestMove = 32;

DtnTime before(DtnTime time, std::uint64_t by) {
    return time < by ? 0 : time - by;
}

}  // namespace

// The next repeat is included, so that the router has all nodes of the plan.
PlanWindow::Range PlanWindow::range_of(const PlanContact &contact, DtnTime now,
                                       std::uint64_t horizon) {
    const std::uint64_t count = config::repeat_count(contact);
    const std::uint64_t first = config::repeats_ended_at(contact, before(now, kSlackMs));
    const std::uint64_t next = config::repeats_ended_at(contact, now);
    const std::uint64_t started =
        config::repeats_started_before(contact, saturating_add(now, horizon));
    return {first, std::max({first, started, next < count ? next + 1 : next})};
}

/// The largest one up to kHorizonMs with at most kMostRepeats.
template <class List>
std::uint64_t PlanWindow::horizon_of(const List &contacts, DtnTime now) {
    const auto fits = [&](std::uint64_t horizon) {
        std::uint64_t count = 0;
        for (const PlanContact &contact : contacts) {
            const Range range = range_of(contact, now, horizon);
            count += range.end - range.first;
            if (count > kMostRepeats) return false;
        }
        return true;
    };
    if (fits(kHorizonMs)) return kHorizonMs;
    std::uint64_t low = 0;
    for (std::uint64_t high = kHorizonMs; high - low > 1000;) {
        const std::uint64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

void PlanWindow::measure(DtnTime now) {
    const auto contact_of = [](const auto &entry) -> const PlanContact & {
        return entry.second.contact;
    };
    horizon_ = horizon_of(periodic_ | std::views::transform(contact_of), now);
}

std::vector<bus::Contact> PlanWindow::expand(const Contacts &plan, DtnTime now) {
    PlanWindow trial;
    trial.begin(plan, now);
    return trial.contacts(plan);
}

void PlanWindow::begin(const Contacts &plan, DtnTime now) {
    periodic_.clear();
    for (const PlanContact &contact : plan)
        if (contact.periodic()) periodic_[contact.id] = {contact, {}};
    measure(now);
    moved_ = now;
    for (auto &[number, known] : periodic_) known.range = range_of(known.contact, now, horizon_);
}

std::vector<bus::Contact> PlanWindow::contacts(const Contacts &plan) const {
    std::vector<bus::Contact> all;
    all.reserve(plan.size());
    for (const PlanContact &contact : plan) {
        if (!contact.periodic()) {
            all.push_back(bus_contact(contact));
            continue;
        }
        const auto known = periodic_.find(contact.id);
        if (known == periodic_.end()) continue;
        const Range &range = known->second.range;
        for (std::uint64_t place = range.first; place < range.end; ++place)
            all.push_back(bus_contact(config::repeat_of(contact, place)));
    }
    return all;
}

PlanWindow::Message PlanWindow::change(bool first, const Contacts &gone, const Contacts &come,
                                       DtnTime now) {
    if (first) {
        begin(come, now);
        return bus::PlanReplace{false, contacts(come)};
    }
    bus::PlanChange change{contacts(gone), {}};
    for (const PlanContact &contact : gone)
        if (contact.periodic()) periodic_.erase(contact.id);
    std::vector<std::uint64_t> fresh;
    for (const PlanContact &contact : come)
        if (contact.periodic()) {
            periodic_[contact.id] = {contact, {}};
            fresh.push_back(contact.id);
        }
    if (!fresh.empty()) measure(now);
    for (const std::uint64_t number : fresh) {
        Periodic &known = periodic_[number];
        known.range = range_of(known.contact, now, horizon_);
    }
    change.added = contacts(come);
    return change;
}

std::uint64_t PlanWindow::steps_at(DtnTime now) const {
    std::uint64_t steps = 0;
    for (const auto &[number, known] : periodic_) {
        const Range wanted = range_of(known.contact, now, horizon_);
        const Range &has = known.range;
        steps += std::max(wanted.first, has.first) - std::min(wanted.first, has.first);
        steps += wanted.end > has.end ? wanted.end - has.end : 0;
    }
    return steps;
}

// Where the clock was set back, repeats come back that had been over. Where it was set by more than
// the window, all repeats are others.
void PlanWindow::move(Periodic &known, const Range &wanted, std::uint64_t room,
                      bus::PlanChange &change) {
    Range &has = known.range;
    const bool apart = wanted.end < has.first || has.end < wanted.first;
    const std::uint64_t over = apart ? has.end : std::min(wanted.first, has.end);
    const auto put = [&](std::uint64_t place, std::vector<bus::Contact> &list) {
        list.push_back(bus_contact(config::repeat_of(known.contact, place)));
        --room;
    };
    while (has.first < over && room > 0) put(has.first++, change.removed);
    if (apart && has.first < has.end) return;
    if (apart) has = {wanted.first, wanted.first};
    while (wanted.first < has.first && room > 0) put(--has.first, change.added);
    while (has.end < wanted.end && room > 0) put(has.end++, change.added);
}

std::optional<bus::PlanChange> PlanWindow::handle_second(DtnTime now) {
    const std::uint64_t passed = now < moved_ ? moved_ - now : now - moved_;
    if (periodic_.empty() || passed < horizon_ / kMovesPerHorizon) return std::nullopt;
    const std::uint64_t steps = steps_at(now);
    const bool at_once = steps / kMostSteps * 1000 > horizon_ / kLongestMove;
    const std::uint64_t most = at_once ? config::kEndless : kMostSteps;
    bus::PlanChange change;
    for (auto &[number, known] : periodic_) {
        const std::uint64_t done = change.removed.size() + change.added.size();
        if (done >= most) return change;
        move(known, range_of(known.contact, now, horizon_), most - done, change);
    }
    if (steps > most) return change;
    moved_ = now;
    measure(now);
    if (change.removed.empty() && change.added.empty()) return std::nullopt;
    return change;
}

}  // namespace farlink::control
