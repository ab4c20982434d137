// SPDX-License-Identifier: Apache-2.0
// Octets of a client that were read and wait until there is room for the answers to them.
// Owned by an AppSession.
// One thread.
#pragma once

#include <algorithm>
#include <utility>

#include "common/base/bytes.hpp"
#include "common/buffer/slab.hpp"

namespace farlink::applications {

class WaitingOctets {
public:
    /// In memory of their own size, if there is some: others need the slab.
    void keep(ByteView octets, const SlabRef &slab, SlabPool &pool) {
        slab_ = pool.acquire_sized(static_cast<std::uint32_t>(octets.size()));
        octets_ = octets;
        if (!slab_) {
            slab_ = slab;
            return;
        }
        std::copy(octets.begin(), octets.end(), slab_->data);
        octets_ = {slab_->data, octets.size()};
    }
    /// The octets, and the slab that holds them.
    [[nodiscard]] std::pair<ByteView, SlabRef> take() {
        return {std::exchange(octets_, {}), std::move(slab_)};
    }
    void clear() { *this = {}; }
    [[nodiscard]] bool empty() const { return octets_.empty(); }
    [[nodiscard]] std::size_t size() const { return octets_.size(); }

private:
    ByteView octets_;
    SlabRef slab_;
};

}  // namespace farlink::applications
