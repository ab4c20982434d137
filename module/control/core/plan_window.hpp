// SPDX-License-Identifier: Apache-2.0
// The repeats of periodic contacts that the other modules have: from now to a horizon.
// A part of PlanStore; the control agent's loop only, but for expand().
// The other modules take contacts only. The window moves by few contacts at a time, so that the
// router changes its routes and does not search all of them again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "module/control/core/plan_edit.hpp"

namespace farlink::control {

class PlanWindow {
public:
    /// How far the repeats go, unless that would be too many of them. The next repeat of each
    /// contact is there in any case.
    static constexpr std::uint64_t kHorizonMs = std::uint64_t{7} * 86'400'000;
    static constexpr std::uint64_t kMostRepeats = 100'000;
    /// The router takes so many contacts one by one.
    static constexpr std::size_t kMostSteps = 16;
    /// A contact that is over stays so long: the clock of the scheduler may be behind.
    static constexpr std::uint64_t kSlackMs = 60'000;

    /// A change for the scheduler.
    using Message = std::variant<bus::PlanReplace, bus::PlanChange>;

    /// A plan of a start, which the scheduler has from contacts().
    void begin(const Contacts &plan, DtnTime now);
    /// That plan without periodic contacts.
    [[nodiscard]] std::vector<bus::Contact> contacts(const Contacts &plan) const;

    /// The change of the plan in force; of the first plan (`first`) all of `come`.
    [[nodiscard]] Message change(bool first, const Contacts &gone, const Contacts &come,
                                 DtnTime now);
    /// A plan as the scheduler would have it.
    [[nodiscard]] static std::vector<bus::Contact> expand(const Contacts &plan, DtnTime now);

    /// Called each second: what to take out and add as time goes on, or nothing.
    [[nodiscard]] std::optional<bus::PlanChange> handle_second(DtnTime now);

private:
    /// The repeats [first, end) of a contact.
    struct Range {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
    };
    struct Periodic {
        config::PlanContact contact;
        Range range;
    };

    [[nodiscard]] static Range range_of(const config::PlanContact &contact, DtnTime now,
                                        std::uint64_t horizon);
    template <class List>
    [[nodiscard]] static std::uint64_t horizon_of(const List &contacts, DtnTime now);
    void measure(DtnTime now);
    [[nodiscard]] std::uint64_t steps_at(DtnTime now) const;
    static void move(Periodic &known, const Range &wanted, std::uint64_t room,
                     bus::PlanChange &change);

    std::map<std::uint64_t, Periodic> periodic_;  ///< by number
    std::uint64_t horizon_ = kHorizonMs;
    DtnTime moved_ = 0;  ///< when the window was last where it should be
};

}  // namespace farlink::control
