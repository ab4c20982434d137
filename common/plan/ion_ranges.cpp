// SPDX-License-Identifier: Apache-2.0
#include "common/plan/ion_ranges.hpp"

#include <algorithm>
#include <tuple>

namespace farlink::config {
namespace {

bool same_direction(const IonRange &one, const IonRange &other) {
    return one.from == other.from && one.to == other.to;
}

/// The light time of one direction until `until`, or none until then.
struct Word {
    const IonRange *range = nullptr;
    DtnTime until = kDtnNever;
};

Word word_at(std::span<const IonRange> ranges, DtnTime time) {
    const auto after = std::ranges::upper_bound(ranges, time, {}, &IonRange::start);
    if (after != ranges.begin()) {
        const IonRange &before = *std::prev(after);
        if (time < before.end) return {&before, before.end};
    }
    return {nullptr, after == ranges.end() ? kDtnNever : after->start};
}

}  // namespace

IonRanges::IonRanges(std::vector<IonRange> ranges) {
    std::ranges::sort(ranges, {}, [](const IonRange &range) {
        return std::tuple(range.from, range.to, range.start, range.line);
    });
    for (const IonRange &range : ranges) {
        IonRange *const last = ranges_.empty() ? nullptr : &ranges_.back();
        const bool meets =
            last != nullptr && same_direction(*last, range) && range.start <= last->end;
        if (meets && last->owlt == range.owlt) {
            last->end = std::max(last->end, range.end);
            continue;
        }
        if (meets && range.start < last->end) conflicts_.push_back({*last, range});
        ranges_.push_back(range);
    }
    for (std::size_t first = 0; first < ranges_.size();) {
        std::size_t last = first + 1;
        while (last < ranges_.size() && same_direction(ranges_[first], ranges_[last])) ++last;
        directions_[{ranges_[first].from, ranges_[first].to}] =
            std::span(ranges_).subspan(first, last - first);
        first = last;
    }
}

std::span<const IonRange> IonRanges::of(NodeNumber from, NodeNumber to) const {
    const auto found = directions_.find({from, to});
    return found == directions_.end() ? std::span<const IonRange>{} : found->second;
}

std::vector<IonRanges::Piece> IonRanges::pieces(NodeNumber from, NodeNumber to, DtnTime start,
                                                DtnTime end) const {
    const std::span<const IonRange> own = of(from, to);
    const std::span<const IonRange> implied =
        to < from ? of(to, from) : std::span<const IonRange>{};
    std::vector<Piece> pieces;
    for (DtnTime at = start; at < end;) {
        const Word direct = word_at(own, at);
        const Word reverse = word_at(implied, at);
        const IonRange *const range = direct.range != nullptr ? direct.range : reverse.range;
        const DtnTime until =
            direct.range != nullptr ? direct.until : std::min(direct.until, reverse.until);
        Piece piece{at, std::min(end, until), {}, range != nullptr};
        if (range != nullptr) piece.owlt = range->owlt;
        const bool goes_on = !pieces.empty() && pieces.back().known == piece.known &&
                             pieces.back().owlt == piece.owlt;
        if (goes_on)
            pieces.back().end = piece.end;
        else
            pieces.push_back(piece);
        at = piece.end;
    }
    return pieces;
}

}  // namespace farlink::config
