// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/wire.hpp"

#include <algorithm>

namespace farlink::emulation {

Wire::Wire(const WireProfile &profile, Carries carries, std::uint64_t seed, TimePoint start)
    : profile_(profile),
      carries_(carries),
      impairment_(profile, seed),
      outages_(profile.outages, profile.outage_period, start),
      line_(carries == Carries::kStream ? UINT64_MAX : profile.memory_bytes),
      free_at_(start) {}

Duration Wire::transmission_time(std::size_t bytes) const {
    if (profile_.rate.value() == 0) return {};
    // At most 2^16 octets: no overflow.
    return nanoseconds(bytes * 8 * std::uint64_t{1000000000} / profile_.rate.value());
}

bool Wire::queue_is_full(TimePoint now) const {
    if (profile_.queue_bytes == 0 || profile_.rate.value() == 0 || free_at_ <= now) return false;
    const double seconds = std::chrono::duration<double>(free_at_ - now).count();
    const double waiting = seconds * static_cast<double>(profile_.rate.value()) / 8;
    return waiting > static_cast<double>(profile_.queue_bytes);
}

bool Wire::has_room(TimePoint now) const {
    return !queue_is_full(now) && line_.memory_bytes() < profile_.memory_bytes;
}

bool Wire::survives(TimePoint now) {
    if (outages_.end_of_outage(now) > now) {
        ++counters_.lost_in_outages;
        return false;
    }
    // Both are drawn for each datagram, so that one impairment does not change the others.
    const bool lost = impairment_.loses();
    const bool lost_in_burst = impairment_.loses_in_burst();
    if (lost)
        ++counters_.lost;
    else if (lost_in_burst)
        ++counters_.lost_in_bursts;
    return !lost && !lost_in_burst;
}

void Wire::push(ByteView piece, TimePoint now) {
    ++counters_.taken;
    counters_.taken_bytes += piece.size();
    const bool stream = carries_ == Carries::kStream;
    if (!stream && queue_is_full(now)) {
        ++counters_.queue_full;
        return;
    }
    // A datagram lost on the link has used its rate, too.
    free_at_ = std::max(free_at_, now);
    if (stream) free_at_ = outages_.end_of_outage(free_at_);
    const TimePoint begun = free_at_;
    free_at_ += transmission_time(piece.size());
    const TimePoint due = free_at_ + profile_.delay + impairment_.jitter();
    if (stream) {
        if (!carry(piece, due, true)) ++counters_.memory_full;
        return;
    }
    if (!survives(begun)) return;
    if (impairment_.flips_bits()) {
        changed_.assign(piece.begin(), piece.end());
        counters_.flipped_bits += impairment_.flip_bits(changed_);
        piece = changed_;
    }
    const bool behind = impairment_.reorders();
    if (behind) ++counters_.reordered;
    bool carried = carry(piece, behind ? due + profile_.reordering_delay : due, !behind);
    if (carried && impairment_.duplicates()) {
        ++counters_.duplicated;
        carried = carry(piece, due, true);
    }
    if (!carried) ++counters_.memory_full;
}

bool Wire::carry(ByteView piece, TimePoint due, bool in_order) {
    const bool carried = in_order ? line_.append(piece, due) : line_.insert(piece, due);
    counters_.most_bytes = std::max(counters_.most_bytes, line_.waiting_bytes());
    return carried;
}

std::span<const ByteView> Wire::due(TimePoint now) {
    published_ = line_.due(now);
    return published_;
}

void Wire::sent(std::size_t count) {
    for (const ByteView &piece : published_.first(count)) counters_.carried_bytes += piece.size();
    counters_.carried += count;
    line_.sent(count);
    published_ = {};
}

}  // namespace farlink::emulation
