// SPDX-License-Identifier: Apache-2.0
// One direction of an emulated link: datagrams, or pieces of a stream, go in and come out later.
// Owned by a relay of linkemu, or by a test's simulator; one thread.
// A state machine without sockets and clocks: the same seed, input and times give the same output.
#pragma once

#include <cstdint>
#include <span>

#include "apps/shared/emulation/delay_line.hpp"
#include "apps/shared/emulation/impairment.hpp"
#include "apps/shared/emulation/outage_plan.hpp"
#include "apps/shared/emulation/wire_profile.hpp"

namespace farlink::emulation {

/// A stream loses nothing: outages and a full queue delay it; other impairments do not apply.
enum class Carries : std::uint8_t { kDatagrams, kStream };

class Wire {
public:
    Wire(const WireProfile &profile, Carries carries, std::uint64_t seed, TimePoint start);

    /// Takes a piece of at most DelayLine::kMaxPieceBytes, and counts its outcome. An empty piece
    /// of a stream may mark its end.
    void push(ByteView piece, TimePoint now);
    /// False while a stream must wait.
    [[nodiscard]] bool has_room(TimePoint now) const;

    [[nodiscard]] TimePoint next_due() const { return line_.next_due(); }
    /// What arrives, some at a time; it stays until sent().
    [[nodiscard]] std::span<const ByteView> due(TimePoint now);
    void sent(std::size_t count);

    [[nodiscard]] const WireCounters &counters() const { return counters_; }
    [[nodiscard]] std::uint64_t waiting_bytes() const { return line_.waiting_bytes(); }

private:
    [[nodiscard]] bool survives(TimePoint now);
    [[nodiscard]] Duration transmission_time(std::size_t bytes) const;
    [[nodiscard]] bool queue_is_full(TimePoint now) const;
    [[nodiscard]] bool carry(ByteView piece, TimePoint due, bool in_order);

    WireProfile profile_;
    Carries carries_;
    Impairment impairment_;
    OutagePlan outages_;
    DelayLine line_;
    TimePoint free_at_{};  ///< the sender has sent what it took before
    WireCounters counters_;
    Bytes changed_;
    std::span<const ByteView> published_;
};

}  // namespace farlink::emulation
