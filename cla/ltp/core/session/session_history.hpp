// SPDX-License-Identifier: Apache-2.0
// Sessions that are closed, so that late and repeated segments do not open them again.
// Owned by the engine, for the sessions it receives; one thread.
// Two generations of hashed numbers: the older one is dropped when the younger one is full, so that
// between one and two times `capacity` sessions are kept. An entry takes 16 octets; half are free.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cla/ltp/core/codec/types.hpp"

namespace farlink::cla::ltp {

/// How a session of a peer ended here.
enum class SessionEnd : std::uint8_t {
    kComplete = 0,
    kCancelledBySender = 1,
    kRefused = 2,  ///< plus the reason: kRefused + CancelReason
};
[[nodiscard]] constexpr SessionEnd refused_with(CancelReason reason) {
    return static_cast<SessionEnd>(static_cast<unsigned>(SessionEnd::kRefused) +
                                   static_cast<unsigned>(reason));
}
[[nodiscard]] constexpr std::optional<CancelReason> refusal_reason(SessionEnd end) {
    if (end < SessionEnd::kRefused) return std::nullopt;
    return static_cast<CancelReason>(static_cast<unsigned>(end) -
                                     static_cast<unsigned>(SessionEnd::kRefused));
}

class SessionHistory {
public:
    /// `capacity`: a power of two. `secret` keys the hash, so that peers cannot cause collisions.
    SessionHistory(std::uint32_t capacity, std::uint64_t secret)
        : capacity_(capacity), secret_(secret | 1) {}

    void add(PeerId peer, std::uint64_t number, SessionEnd end) {
        if (young_.empty()) young_.resize(std::size_t{2} * capacity_);
        const std::uint64_t hash = hash_of(peer, number);
        if (Entry *const known = locate(young_, hash); known->hash == hash) {
            known->end = end;
            return;
        }
        if (count_ == capacity_) {
            std::swap(young_, old_);
            young_.assign(std::size_t{2} * capacity_, {});
            count_ = 0;
        }
        *locate(young_, hash) = {hash, end};
        ++count_;
    }
    [[nodiscard]] std::optional<SessionEnd> find(PeerId peer, std::uint64_t number) {
        const std::uint64_t hash = hash_of(peer, number);
        for (std::vector<Entry> *const entries : {&young_, &old_}) {
            if (entries->empty()) continue;
            const Entry *const entry = locate(*entries, hash);
            if (entry->hash == hash) return entry->end;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::size_t bytes() const {
        return (young_.capacity() + old_.capacity()) * sizeof(Entry);
    }

private:
    struct Entry {
        std::uint64_t hash = 0;  ///< 0: free
        SessionEnd end{};
    };

    [[nodiscard]] std::uint64_t hash_of(PeerId peer, std::uint64_t number) const {
        std::uint64_t mixed = (number ^ secret_) * 0x9e3779b97f4a7c15ULL;
        mixed = (mixed ^ mixed >> 32 ^ peer.value()) * secret_;
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ULL;
        return (mixed ^ mixed >> 32) | 1;
    }
    /// The entry with this hash, or the free entry for it; half of all entries are free.
    [[nodiscard]] Entry *locate(std::vector<Entry> &entries, std::uint64_t hash) const {
        const std::size_t mask = entries.size() - 1;
        std::size_t at = hash >> 20 & mask;
        while (entries[at].hash != 0 && entries[at].hash != hash) at = (at + 1) & mask;
        return &entries[at];
    }

    std::uint32_t capacity_;
    std::uint64_t secret_;
    std::uint32_t count_ = 0;
    std::vector<Entry> young_;
    std::vector<Entry> old_;
};

}  // namespace farlink::cla::ltp
