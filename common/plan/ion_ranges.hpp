// SPDX-License-Identifier: Apache-2.0
// Light times between nodes over time, as ION's `range` commands give them.
// Filled once by ion_plan.cpp, then read-only; a value, any thread.
// A range whose first node has the smaller number also applies to the opposite direction, unless
// that direction has a range of its own; a range whose first node has the larger number does not.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::config {

/// From `start` to `end` (half open, milliseconds) light takes `owlt` from one node to
/// another.
struct IonRange {
    NodeNumber from;
    NodeNumber to;
    DtnTime start = 0;
    DtnTime end = 0;
    Duration owlt{};
    std::size_t line = 0;  ///< where it stands, for messages

    friend bool operator==(const IonRange &, const IonRange &) = default;
};

/// Two ranges that overlap and differ.
struct RangeConflict {
    IonRange earlier;
    IonRange later;
};

class IonRanges {
public:
    /// A part of a contact during which the light time is the same.
    struct Piece {
        DtnTime start = 0;
        DtnTime end = 0;
        Duration owlt{};
        bool known = false;  ///< false: no range covers it
        friend bool operator==(const Piece &, const Piece &) = default;
    };

    /// Ranges of one direction that touch or overlap and agree become one.
    explicit IonRanges(std::vector<IonRange> ranges);

    [[nodiscard]] const std::vector<RangeConflict> &conflicts() const { return conflicts_; }

    /// The light times from `from` to `to` between two times; adjacent pieces differ.
    [[nodiscard]] std::vector<Piece> pieces(NodeNumber from, NodeNumber to, DtnTime start,
                                            DtnTime end) const;

private:
    [[nodiscard]] std::span<const IonRange> of(NodeNumber from, NodeNumber to) const;

    std::vector<IonRange> ranges_;  ///< by direction and time; disjoint if there is no conflict
    std::map<std::pair<NodeNumber, NodeNumber>, std::span<const IonRange>> directions_;
    std::vector<RangeConflict> conflicts_;
};

}  // namespace farlink::config
