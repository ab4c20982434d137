// SPDX-License-Identifier: Apache-2.0
// What ingress had given egress before it gave storage something: what storage releases comes
// behind it (Batch::behind).
// Owned by Lender; one thread.
// It is kept for each instance of ingress, not for each flow: what came before the last batch that
// was stored came before those that are released now.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/buffer/batch.hpp"
#include "common/config/node/link_placement.hpp"

namespace farlink::storage {

class ForwardedBefore {
public:
    void set_placement(const config::LinkPlacement &placement) { placement_ = placement; }
    /// The instance of egress that has the link.
    [[nodiscard]] std::size_t instance_of(LinkId link) const {
        return placement_.instance_of(link);
    }

    void handle_stored(const Batch &stored) { by_ingress_[stored.instance] = stored.behind; }
    void handle_ingress_lost(std::size_t ingress) { by_ingress_[ingress] = {}; }
    /// Another egress, which has nothing of what the one before was given.
    void handle_egress_back(std::size_t egress) {
        for (auto &by_egress : by_ingress_) by_egress[egress] = 0;
    }
    void mark(Batch &released) const {
        const std::size_t egress = instance_of(released.link);
        for (std::size_t ingress = 0; ingress < kMostInstances; ++ingress)
            released.behind[ingress] = by_ingress_[ingress][egress];
    }

private:
    config::LinkPlacement placement_;
    std::array<std::array<std::uint64_t, kMostInstances>, kMostInstances> by_ingress_{};
};

}  // namespace farlink::storage
