// SPDX-License-Identifier: Apache-2.0
// The habits of a peer that depart from its standard, as they are noticed and judged.
// Owned by one session, lent to its sender and receiver; one thread.
// Each habit is told once for each read, however often it showed.
#pragma once

#include <cstdint>

#include "cla/api/link_fault.hpp"

namespace farlink::cla::tcpclv4 {

class Departures {
public:
    explicit Departures(bool strict) : strict_(strict) {}

    /// Notes `departure`; false when it ends the session.
    [[nodiscard]] bool allow(Departure departure) {
        note(departure);
        return !(strict_ && breaks_the_standard(departure));
    }
    /// Of something that the standard lets the receiver ignore.
    void note(Departure departure) { seen_ |= 1U << static_cast<unsigned>(departure); }

    /// Calls `tell` for each habit noticed since the last call.
    template <class Tell>
    void drain(Tell tell) {
        if (seen_ == 0) return;
        for (unsigned i = 0; i < static_cast<unsigned>(Departure::kCount_); ++i)
            if ((seen_ >> i & 1U) != 0) tell(static_cast<Departure>(i));
        seen_ = 0;
    }

private:
    static_assert(static_cast<unsigned>(Departure::kCount_) <= 32);

    [[nodiscard]] static bool breaks_the_standard(Departure departure) {
        return departure == Departure::kAckFlagsDiffer ||
               departure == Departure::kSegmentAboveMru ||
               departure == Departure::kNodeIdWithService ||
               departure == Departure::kEmptyTransfer || departure == Departure::kAckBeyondSent;
    }

    bool strict_;
    std::uint32_t seen_ = 0;  ///< one bit a departure
};

}  // namespace farlink::cla::tcpclv4
