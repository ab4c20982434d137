// SPDX-License-Identifier: Apache-2.0
#include "module/scheduler/core/contact_timeline.hpp"

#include <algorithm>
#include <tuple>

#include "common/base/invariant.hpp"

namespace farlink::scheduler {
namespace {

/// The steps of one run: one at every start and end of a contact.
std::vector<RateStep> steps_of(std::span<const bus::Contact> contacts, DtnTime run_end) {
    std::vector<DtnTime> changes;
    for (const bus::Contact &contact : contacts) {
        changes.push_back(contact.start);
        if (contact.end < run_end) changes.push_back(contact.end);
    }
    std::ranges::sort(changes);
    changes.erase(std::ranges::unique(changes).begin(), changes.end());

    std::vector<RateStep> steps;
    std::vector<const bus::Contact *> begun;  // by start; the last open one applies
    auto next = contacts.begin();
    for (const DtnTime at : changes) {
        for (; next != contacts.end() && next->start <= at; ++next) begun.push_back(&*next);
        while (begun.back()->end <= at) begun.pop_back();
        const RateStep step{at, begun.back()->rate, begun.back()->owlt};
        const bool differs =
            steps.empty() || steps.back().rate != step.rate || steps.back().owlt != step.owlt;
        if (differs) steps.push_back(step);
    }
    return steps;
}

}  // namespace

const RateStep &ContactRun::step_at(DtnTime time) const {
    FARLINK_INVARIANT(start <= time && time < end);
    const auto after = std::ranges::upper_bound(steps, time, {}, &RateStep::start);
    return *std::prev(after);
}

DtnTime ContactRun::next_change(DtnTime time) const {
    const auto after = std::ranges::upper_bound(steps, time, {}, &RateStep::start);
    return after == steps.end() ? end : after->start;
}

ContactTimeline::ContactTimeline(std::vector<bus::Contact> contacts) {
    std::erase_if(contacts,
                  [](const bus::Contact &contact) { return contact.end <= contact.start; });
    std::ranges::sort(contacts, {}, [](const bus::Contact &contact) {
        return std::tuple(contact.start, contact.id);
    });
    for (std::size_t first = 0; first < contacts.size();) {
        ContactRun run{contacts[first].start, contacts[first].end, {}};
        std::size_t last = first + 1;
        for (; last < contacts.size() && contacts[last].start <= run.end; ++last)
            run.end = std::max(run.end, contacts[last].end);
        run.steps = steps_of(std::span(contacts).subspan(first, last - first), run.end);
        runs_.push_back(std::move(run));
        first = last;
    }
}

const ContactRun *ContactTimeline::current_or_next(DtnTime time) const {
    const auto found = std::ranges::upper_bound(runs_, time, {}, &ContactRun::end);
    return found == runs_.end() ? nullptr : &*found;
}

DtnTime ContactTimeline::next_start(DtnTime time) const {
    const auto found = std::ranges::upper_bound(runs_, time, {}, &ContactRun::start);
    return found == runs_.end() ? kDtnNever : found->start;
}

}  // namespace farlink::scheduler
