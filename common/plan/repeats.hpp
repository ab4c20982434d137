// SPDX-License-Identifier: Apache-2.0
// The repeats of a periodic contact: how many, which ones at a time, whether two contacts meet.
// Plain functions on values; any thread.
// No function counts repeats one by one: a contact of a second each minute for years costs as much
// as one that is there once.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// Of a contact that repeats without end.
inline constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();

/// Repeat n has the number of its contact and n times this. Contacts of a plan with periodic ones
/// have smaller numbers.
inline constexpr std::uint64_t kRepeatNumbers = std::uint64_t{1} << 24;

/// Limits of a plan, so that checks and expansion are bounded.
inline constexpr std::size_t kMostPeriodic = 10'000;
inline constexpr std::size_t kMostPeriodicOfDirection = 256;
inline constexpr std::uint64_t kMostRepeatsAnHour = 100'000;

/// At least 1; 1 of a contact that does not repeat.
[[nodiscard]] std::uint64_t repeat_count(const PlanContact &contact);
/// The number of repeats that have ended at `time`: the place of the first one after them.
[[nodiscard]] std::uint64_t repeats_ended_at(const PlanContact &contact, DtnTime time);
/// The number of repeats that start before `time`.
[[nodiscard]] std::uint64_t repeats_started_before(const PlanContact &contact, DtnTime time);
/// A contact without repeats. `place` is below repeat_count().
[[nodiscard]] PlanContact repeat_of(const PlanContact &contact, std::uint64_t place);
/// The end of the last repeat; kDtnNever: there is none.
[[nodiscard]] DtnTime last_end(const PlanContact &contact);

/// Whether both are open at some moment. Their repeats are at most kLongestRepeatSeconds apart.
[[nodiscard]] bool meet(const PlanContact &one, const PlanContact &other);

/// The number of contacts that expanded() makes.
[[nodiscard]] std::uint64_t expanded_count(const std::vector<PlanContact> &contacts, DtnTime from,
                                           DtnTime to);
/// The plan as contacts without repeats, those that are open in [from, to); contacts that do not
/// repeat are all there. `most`: of the repeats of one contact.
[[nodiscard]] std::vector<PlanContact> expanded(const std::vector<PlanContact> &contacts,
                                                DtnTime from, DtnTime to,
                                                std::uint64_t most = kEndless);

}  // namespace farlink::config
