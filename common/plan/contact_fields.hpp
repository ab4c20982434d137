// SPDX-License-Identifier: Apache-2.0
// The field table of a contact plan, and the rows it fills.
// Constant, made on first use; any thread.
// A row is a contact as written; contact_plan.cpp checks rows against each other.
#pragma once

#include <optional>
#include <vector>

#include "common/config/fields/field_table.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// A contact as written; an invalid time is empty, an invalid number 0.
struct ContactRow {
    PlanContact contact;
    std::string source_name;       ///< `dtn://mars/**` in place of a number
    std::string destination_name;  ///< likewise
    bool has_id = false;
    std::optional<Instant> start;
    std::optional<Instant> end;
    Duration repeat{};  ///< zero: once
    std::optional<Instant> until;
};

/// Ten years: a larger number is Unix seconds by mistake.
inline constexpr std::uint64_t kLatestSecond = 10ULL * 365 * 86'400;
/// 2,000 times the distance of the sun, beyond every probe.
inline constexpr std::uint64_t kMaxOwltSeconds = 1'000'000;
/// 10 Tbit/s: a hundred times the fastest optical link; a larger number has the wrong unit.
inline constexpr std::uint64_t kHighestRateBitsPerSecond = 10'000'000'000'000;

/// A contact begins again at least a second later, and at most 31 days: repeats.cpp relies on it.
inline constexpr std::uint64_t kLongestRepeatSeconds = 31 * 86'400;

/// The plan without its contacts, which are read one by one.
struct PlanFrame {};

[[nodiscard]] const Table<PlanFrame> &contact_plan_table();
[[nodiscard]] const Table<ContactRow> &contact_table();

}  // namespace farlink::config
