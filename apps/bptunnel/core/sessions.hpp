// SPDX-License-Identifier: Apache-2.0
// The sessions of two ends of a tunnel: each run of an end has its own, a later one is greater.
// Owned by what sends to a peer and receives from it.
// One thread. By them an end notices that the other has restarted, and what is meant for a run that
// has ended.
#pragma once

#include <cstdint>

#include "apps/bptunnel/core/adu.hpp"
#include "apps/bptunnel/core/seen_numbers.hpp"

namespace farlink::bptunnel {

/// What an ADU is worth.
struct Verdict {
    bool repeat = false;        ///< it was taken before
    bool stale = false;         ///< of an earlier session of the peer
    bool for_earlier = false;   ///< for another session of this end
    bool peer_changed = false;  ///< the peer has restarted
    bool renewed = false;       ///< this end has a new session: the peer has seen a later one
};

class Sessions {
public:
    explicit Sessions(std::uint64_t own) : own_(own) {}

    [[nodiscard]] Verdict judge(const Head &head);
    /// Of an ADU to send; one with contents has the next number.
    [[nodiscard]] Head next_head(Kind kind);
    [[nodiscard]] std::uint64_t own() const { return own_; }

private:
    [[nodiscard]] bool renew(std::uint64_t seen_by_peer);

    std::uint64_t own_;
    std::uint64_t peer_ = 0;
    std::uint64_t next_number_ = 0;
    SeenNumbers seen_;
};

}  // namespace farlink::bptunnel
