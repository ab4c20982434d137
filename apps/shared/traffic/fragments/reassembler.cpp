// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/reassembler.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/base/slices.hpp"

namespace farlink::traffic {

std::size_t Reassembler::KeyHash::operator()(const Key &key) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
    const std::uint64_t time = (key.creation_time ^ key.version) * kGolden + key.sequence;
    return static_cast<std::size_t>(hash(key.source.view()) ^ time * kGolden);
}

/// The material extents of RFC 9171 section 5.9: the parts of `extent` that no piece covers.
std::vector<bp::FragmentExtent> Reassembler::missing(const Unit &unit,
                                                     const bp::FragmentExtent &extent) {
    std::vector<bp::FragmentExtent> gaps;
    std::uint64_t at = extent.offset;
    const std::uint64_t end = extent.offset + extent.length;
    auto piece = unit.pieces.upper_bound(at);
    if (piece != unit.pieces.begin()) {
        const auto &[offset, octets] = *std::prev(piece);
        at = std::max(at, offset + octets.size());
    }
    for (; at < end; ++piece) {
        const bool last = piece == unit.pieces.end() || piece->first >= end;
        const std::uint64_t gap_end = last ? end : piece->first;
        if (gap_end > at) gaps.push_back({at, gap_end - at});
        if (last) break;
        at = piece->first + piece->second.size();
    }
    return gaps;
}

Reassembler::Outcome Reassembler::handle_fragment(const bp::BundleView &view,
                                                  std::span<const ByteView> slices,
                                                  DtnTime now_ms) {
    // parse() has checked this for received bundles.
    if (!view.is_fragment || view.payload_length > view.total_adu_length ||
        view.fragment_offset > view.total_adu_length - view.payload_length)
        return Outcome::kContradiction;
    const Key key{view.version, bp::Eid(view.source), view.creation_time, view.sequence};
    const auto known = units_.find(key);
    if (known != units_.end() && known->second.total != view.total_adu_length)
        return Outcome::kContradiction;
    static const Unit kNothing;
    const auto gaps = missing(known == units_.end() ? kNothing : known->second,
                              {view.fragment_offset, view.payload_length});
    if (gaps.empty() && view.total_adu_length != 0) return Outcome::kDuplicate;
    std::uint64_t cost = 0;
    for (const bp::FragmentExtent &gap : gaps) cost += gap.length + kPieceOverhead;
    if (cost > limits_.bytes) return Outcome::kNoSpace;
    const bool begins = known == units_.end();
    while (!has_space(begins, cost))
        if (!drop_stalled(key, now_ms)) return Outcome::kNoSpace;

    Unit &unit = begins ? units_[key] : known->second;
    unit.progressed_ms = now_ms;
    unit.total = view.total_adu_length;
    unit.expiry = std::min(unit.expiry, view.expiry(now_ms));
    held_bytes_ += cost;
    for (const bp::FragmentExtent &gap : gaps) {
        Bytes &piece = unit.pieces[gap.offset];
        piece.reserve(static_cast<std::size_t>(gap.length));
        const std::uint64_t from = view.payload_offset + (gap.offset - view.fragment_offset);
        bp::for_each_piece(slices, from, from + gap.length,
                           [&](ByteView octets) { append(piece, octets); });
        unit.covered += gap.length;
    }
    if (unit.covered != unit.total) return Outcome::kPending;
    complete(unit);
    units_.erase(key);
    return Outcome::kComplete;
}

// The data unit without progress for the longest time.
bool Reassembler::drop_stalled(const Key &but, DtnTime now_ms) {
    auto oldest = units_.end();
    for (auto unit = units_.begin(); unit != units_.end(); ++unit) {
        if (unit->first == but || unit->second.progressed_ms + kStalledMs > now_ms) continue;
        if (oldest == units_.end() || unit->second.progressed_ms < oldest->second.progressed_ms)
            oldest = unit;
    }
    if (oldest == units_.end()) return false;
    release(oldest->second);
    units_.erase(oldest);
    return true;
}

void Reassembler::complete(Unit &unit) {
    Bytes whole;
    whole.reserve(static_cast<std::size_t>(unit.total));
    for (const auto &[offset, octets] : unit.pieces) append(whole, octets);
    release(unit);
    data_unit_ = std::move(whole);
}

void Reassembler::release(const Unit &unit) {
    held_bytes_ -= unit.covered + unit.pieces.size() * kPieceOverhead;
}

std::optional<Bytes> Reassembler::poll_data_unit() {
    return std::exchange(data_unit_, {});
}

std::size_t Reassembler::expire(DtnTime now_ms) {
    return std::erase_if(units_, [&](const auto &entry) {
        if (entry.second.expiry > now_ms) return false;
        release(entry.second);
        return true;
    });
}

}  // namespace farlink::traffic
