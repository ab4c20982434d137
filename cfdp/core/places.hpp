// SPDX-License-Identifier: Apache-2.0
// The places of a table of transactions, with a share for each remote entity.
// Owned by who has the table; one thread.
// An entity holds its places in the order of their last progress, so that the idlest is the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>

#include "cfdp/core/pdu/types.hpp"

namespace farlink::cfdp {

/// What a remote entity did not get for lack of places.
struct Shortage {
    std::uint64_t refused = 0;   ///< of what it has sent
    std::uint64_t given_up = 0;  ///< transactions of it, in favour of other entities
    friend constexpr bool operator==(const Shortage &, const Shortage &) = default;
};
using Shortages = std::map<EntityId, Shortage>;

[[nodiscard]] inline Shortage total_of(const Shortages &shortages) {
    Shortage total;
    for (const auto &[entity, each] : shortages) {
        total.refused += each.refused;
        total.given_up += each.given_up;
    }
    return total;
}

class Places {
public:
    /// Kept by the transaction.
    struct Place {
        bool held = false;
        EntityId entity = 0;
        std::list<TransactionId>::iterator at{};
    };

    /// One of several entities holds at most half of the places.
    [[nodiscard]] static constexpr std::size_t share(std::size_t most, std::size_t entities) {
        return entities < 2 ? most : most - most / 2;
    }

    /// No change if it is held.
    void take(Place &place, EntityId entity, const TransactionId &id) {
        if (place.held) return;
        std::list<TransactionId> &order = holders_[entity];
        place = {true, entity, order.insert(order.end(), id)};
        ++size_;
    }
    void give_back(Place &place) {
        if (!place.held) return;
        holders_.at(place.entity).erase(place.at);
        place.held = false;
        --size_;
    }
    /// There is progress.
    void renew(const Place &place) {
        if (!place.held) return;
        std::list<TransactionId> &order = holders_.at(place.entity);
        order.splice(order.end(), order, place.at);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t held_by(EntityId entity) const {
        const auto found = holders_.find(entity);
        return found == holders_.end() ? 0 : found->second.size();
    }
    /// The idlest transaction that may end, of the entity that holds most. None: no entity holds
    /// more than this one would hold with one more, so that no two take places from each other.
    template <class MayEnd>
    [[nodiscard]] std::optional<TransactionId> idlest_of_others(EntityId entity,
                                                                MayEnd may_end) const {
        const std::list<TransactionId> *most = nullptr;
        for (const auto &[holder, order] : holders_)
            if (most == nullptr || order.size() > most->size()) most = &order;
        if (most == nullptr || most->size() < held_by(entity) + 2) return std::nullopt;
        for (const TransactionId &id : *most)
            if (may_end(id)) return id;
        return std::nullopt;
    }

private:
    std::map<EntityId, std::list<TransactionId>> holders_;
    std::size_t size_ = 0;
};

}  // namespace farlink::cfdp
