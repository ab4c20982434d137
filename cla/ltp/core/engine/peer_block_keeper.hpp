// SPDX-License-Identifier: Apache-2.0
// The incomplete blocks of one peer, for the shares of the loop's memory: finds the slow ones and
// the large ones, and gives them up when the memory is needed elsewhere.
// Owned by the peer, as long as it has a share; one thread.
#pragma once

#include "cla/ltp/core/engine/receiving_engine.hpp"

namespace farlink::cla::ltp {

class PeerBlockKeeper final : public BlockKeeper {
public:
    PeerBlockKeeper(ReceivingEngine &receiving, Peer &peer) : receiving_(receiving), peer_(peer) {}

    [[nodiscard]] std::uint64_t slow_block(TimePoint now, const Slowness &slowness) override;
    void give_up_slow_block(TimePoint now, const Slowness &slowness) override;
    void give_back(std::uint64_t bytes, TimePoint now) override;
    bool leave_slab() override;

private:
    template <class Weight>
    [[nodiscard]] std::uint32_t find_heaviest(Weight weight);
    [[nodiscard]] std::uint32_t find_slow(const Slowness &slowness, TimePoint at);

    ReceivingEngine &receiving_;
    Peer &peer_;
};

}  // namespace farlink::cla::ltp
