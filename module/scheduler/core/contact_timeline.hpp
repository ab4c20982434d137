// SPDX-License-Identifier: Apache-2.0
// The contacts from this node to one neighbour, merged into runs during which the link stays up.
// Built by the scheduler from a contact plan and never changed; its owner's thread only.
// Contacts are half open (start <= t < end), so contacts that touch belong to one run.
#pragma once

#include <span>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::scheduler {

/// Rate and light time from `start` (DTN milliseconds) until the next step or the run's end.
struct RateStep {
    DtnTime start = 0;
    BitRate rate;
    Duration owlt{};
    friend bool operator==(const RateStep &, const RateStep &) = default;
};

/// Contacts that touch or overlap; `steps` is never empty and its first step starts the run.
struct ContactRun {
    DtnTime start = 0;
    DtnTime end = 0;
    std::vector<RateStep> steps;

    /// The step at `time`, which is in the run.
    [[nodiscard]] const RateStep &step_at(DtnTime time) const;
    /// The next change after `time`: the next step, or the end of the run.
    [[nodiscard]] DtnTime next_change(DtnTime time) const;
};

class ContactTimeline {
public:
    ContactTimeline() = default;
    /// Contacts without length are ignored. Where contacts overlap, the one that began last applies
    /// (of those the one with the larger id).
    explicit ContactTimeline(std::vector<bus::Contact> contacts);

    /// The run that is open at `time`, or the first one that starts later; nullptr when all ended.
    [[nodiscard]] const ContactRun *current_or_next(DtnTime time) const;
    /// The start of the first run after `time`; kDtnNever if there is none.
    [[nodiscard]] DtnTime next_start(DtnTime time) const;
    [[nodiscard]] std::span<const ContactRun> runs() const { return runs_; }

private:
    std::vector<ContactRun> runs_;
};

}  // namespace farlink::scheduler
