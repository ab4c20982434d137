// SPDX-License-Identifier: Apache-2.0
// Makes a plan without overlaps of one that has them, for routers that take both.
// A plain function on values; any thread.
// The time for n contacts grows like n log n, also when all of them overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// A contact of the result that stands for contacts that overlapped.
struct OverlapPiece {
    static constexpr std::size_t kMostListed = 4;

    std::size_t place = 0;            ///< in SplitPlan::contacts
    std::vector<std::uint64_t> of{};  ///< numbers of the first of those contacts
    std::size_t count = 0;            ///< how many there are
};

struct SplitPlan {
    std::vector<PlanContact> contacts;
    std::vector<OverlapPiece> pieces;
};

/// Overlapping contacts of one direction are split at their boundaries; where several hold, the
/// higher rate and the longer light time apply, and pieces with equal terms are joined again.
/// Contacts that overlap no other one stay as they are. Pieces stand in the place of the first
/// contact of theirs, whose number the first one keeps. Numbers are unique before and afterwards.
[[nodiscard]] SplitPlan split_overlaps(const std::vector<PlanContact> &contacts);

}  // namespace farlink::config
