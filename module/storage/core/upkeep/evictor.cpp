// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/evictor.hpp"

namespace farlink::storage {

bool Evictor::make_room(const Shortage &shortage, TimePoint now) {
    if (policy_ != config::WhenFull::kMakeRoom || !worth_it(shortage)) return false;
    Inventory &inventory = context_.inventory;
    const DtnTime now_ms = context_.dtn_at(now);
    while (!context_.clock.expiry_suspended() && !has_room(shortage, now)) {
        const EntryIndex expired = inventory.pop_expired(now_ms);
        if (expired == kNoEntry) break;
        remover_.expire(expired);
    }
    for (std::size_t priority = 0; priority <= static_cast<std::size_t>(shortage.priority);
         ++priority) {
        while (!has_room(shortage, now)) {
            const QuotaSet blocking = inventory.quotas().exceeded(shortage.quotas, shortage.bytes);
            const EntryIndex victim =
                inventory.oldest_spare(static_cast<Priority>(priority), blocking);
            if (victim == kNoEntry) break;
            remover_.evict(victim);
        }
    }
    return has_room(shortage, now);
}

bool Evictor::has_room(const Shortage &shortage, TimePoint now) const {
    return context_.inventory.quotas().exceeded(shortage.quotas, shortage.bytes) == 0 &&
           context_.placement.choose(shortage.bytes, shortage.priority, {}, now).has_value();
}

/// Nothing is deleted for a bundle that gets no room even so.
bool Evictor::worth_it(const Shortage &shortage) const {
    std::uint64_t stays = 0;
    for (std::size_t at = 0; at < kPriorityCount; ++at) {
        const auto priority = static_cast<Priority>(at);
        stays += priority > shortage.priority ? context_.inventory.usage().bytes_of(priority)
                                              : context_.inventory.usage().custody_bytes(priority);
    }
    return context_.placement.limit_for(shortage.priority) >=
           stays + shortage.bytes + shortage.behind;
}

}  // namespace farlink::storage
