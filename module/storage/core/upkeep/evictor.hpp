// SPDX-License-Identifier: Apache-2.0
// Deletes bundles to make room for another one, where the configuration allows that.
// Owned by StorageCore; one thread.
// Expired bundles go first, then those of the lowest priority, the oldest first; never one of a
// higher priority than the bundle that needs the room, none that is lent or being read, none that
// this node has taken custody of, and none on a disk that is set aside.
#pragma once

#include "module/storage/core/release/remover.hpp"

namespace farlink::storage {

/// The room that a bundle needs.
struct Shortage {
    std::uint64_t bytes = 0;   ///< of its record
    std::uint64_t behind = 0;  ///< octets of the same bundle that are to follow it
    Priority priority = Priority::kNormal;
    QuotaSet quotas = 0;  ///< in which it would count
};

class Evictor {
public:
    Evictor(StorageContext &context, Remover &remover, config::WhenFull policy)
        : context_(context), remover_(remover), policy_(policy) {}

    void set_policy(config::WhenFull policy) { policy_ = policy; }
    /// Deletes until the bundle has room; false when it has none after all.
    [[nodiscard]] bool make_room(const Shortage &shortage, TimePoint now);

private:
    [[nodiscard]] bool has_room(const Shortage &shortage, TimePoint now) const;
    [[nodiscard]] bool worth_it(const Shortage &shortage) const;

    StorageContext &context_;
    Remover &remover_;
    config::WhenFull policy_;
};

}  // namespace farlink::storage
