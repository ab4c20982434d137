// SPDX-License-Identifier: Apache-2.0
// What ingress had given egress or the module of applications before it gave storage something:
// what storage releases comes behind it (Batch::behind).
// Owned by Lender; one thread.
// It is kept for each instance of ingress, not for each flow: what came before the last batch that
// was stored came before those that are released now.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/endpoint_links.hpp"
#include "common/buffer/batch.hpp"
#include "common/config/node/link_placement.hpp"

namespace farlink::storage {

class ForwardedBefore {
public:
    void set_placement(const config::LinkPlacement &placement) { placement_ = placement; }
    /// What bundles leave by on this link: an instance of egress, or the module of applications.
    [[nodiscard]] std::size_t carrier_of(LinkId link) const { return placement_.carrier_of(link); }

    void handle_stored(const Batch &stored) { by_ingress_[stored.instance] = stored.behind; }
    void handle_ingress_lost(std::size_t ingress) { by_ingress_[ingress] = {}; }
    /// Another process, which has nothing of what the one before was given.
    void handle_carrier_back(std::size_t carrier) {
        for (auto &by_carrier : by_ingress_) by_carrier[carrier] = 0;
    }
    void mark(Batch &released) const {
        const std::size_t carrier = carrier_of(released.link);
        for (std::size_t ingress = 0; ingress < kMostInstances; ++ingress)
            released.behind[ingress] = by_ingress_[ingress][carrier];
    }

private:
    config::LinkPlacement placement_;
    std::array<std::array<std::uint64_t, kMostCarriers>, kMostInstances> by_ingress_{};
};

}  // namespace farlink::storage
