// SPDX-License-Identifier: Apache-2.0
// The deviations of a peer from its standard, as they are noticed and judged.
// Owned by one session, lent to its sender and receiver; one thread.
// Each deviation is reported once for each read, however often it occurred.
#pragma once

#include <cstdint>

#include "cla/api/link_fault.hpp"

namespace farlink::cla::tcpclv4 {

class ProtocolDeviations {
public:
    explicit ProtocolDeviations(bool strict) : strict_(strict) {}

    /// Notes `deviation`; false when it ends the session.
    [[nodiscard]] bool allow(ProtocolDeviation deviation) {
        note(deviation);
        return !(strict_ && breaks_the_standard(deviation));
    }
    /// Of something that the standard lets the receiver ignore.
    void note(ProtocolDeviation deviation) { seen_ |= 1U << static_cast<unsigned>(deviation); }

    /// Calls `publish` for each deviation noticed since the last call.
    template <class Publish>
    void drain(Publish publish) {
        if (seen_ == 0) return;
        for (unsigned i = 0; i < static_cast<unsigned>(ProtocolDeviation::kCount_); ++i)
            if ((seen_ >> i & 1U) != 0) publish(static_cast<ProtocolDeviation>(i));
        seen_ = 0;
    }

private:
    static_assert(static_cast<unsigned>(ProtocolDeviation::kCount_) <= 32);

    [[nodiscard]] static bool breaks_the_standard(ProtocolDeviation deviation) {
        return deviation == ProtocolDeviation::kAckFlagsDiffer ||
               deviation == ProtocolDeviation::kSegmentAboveMru ||
               deviation == ProtocolDeviation::kNodeIdWithService ||
               deviation == ProtocolDeviation::kEmptyTransfer ||
               deviation == ProtocolDeviation::kAckBeyondSent;
    }

    bool strict_;
    std::uint32_t seen_ = 0;  ///< one bit a deviation
};

}  // namespace farlink::cla::tcpclv4
