// SPDX-License-Identifier: Apache-2.0
// Maps (peer, session number) to the session's place: open addressing, usually one probe.
// Owned by the engine, one table for each direction; one thread.
// A segment costs one look-up. Growing moves all entries; a steady state allocates nothing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cla/ltp/core/codec/types.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {

class SessionTable {
public:
    static constexpr std::uint32_t kNone = 0xffffffffU;

    explicit SessionTable(std::uint64_t secret) : entries_(kLeast), secret_(secret | 1) {}

    [[nodiscard]] std::uint32_t find(PeerId peer, std::uint64_t number) const {
        for (std::size_t at = place(peer, number);; at = (at + 1) & mask()) {
            const Entry &entry = entries_[at];
            if (entry.slot == kNone) return kNone;
            if (entry.number == number && entry.peer == peer.value()) return entry.slot;
        }
    }
    /// The session must not be in the table.
    void add(PeerId peer, std::uint64_t number, std::uint32_t slot) {
        if (2 * (count_ + 1) > entries_.size()) grow();
        put({number, peer.value(), slot});
        ++count_;
    }
    void remove(PeerId peer, std::uint64_t number) {
        std::size_t at = place(peer, number);
        while (entries_[at].number != number || entries_[at].peer != peer.value()) {
            FARLINK_INVARIANT(entries_[at].slot != kNone);
            at = (at + 1) & mask();
        }
        // Entries that follow without a gap may have been displaced by this one: they move back.
        for (std::size_t next = (at + 1) & mask(); entries_[next].slot != kNone;
             next = (next + 1) & mask()) {
            const std::size_t home = place(PeerId{entries_[next].peer}, entries_[next].number);
            if (((next - home) & mask()) < ((next - at) & mask())) continue;
            entries_[at] = entries_[next];
            at = next;
        }
        entries_[at] = {};
        --count_;
    }
    /// Gives memory back when there is no session.
    void give_back() {
        if (count_ == 0) entries_ = std::vector<Entry>(kLeast);
    }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

private:
    static constexpr std::size_t kLeast = 64;

    struct Entry {
        std::uint64_t number = 0;
        std::uint32_t peer = 0;
        std::uint32_t slot = kNone;
    };

    [[nodiscard]] std::size_t mask() const { return entries_.size() - 1; }
    [[nodiscard]] std::size_t place(PeerId peer, std::uint64_t number) const {
        std::uint64_t mixed = (number ^ secret_ ^ std::uint64_t{peer.value()} << 32) * secret_;
        mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ULL;
        return static_cast<std::size_t>(mixed >> 24) & mask();
    }
    void put(Entry entry) {
        std::size_t at = place(PeerId{entry.peer}, entry.number);
        while (entries_[at].slot != kNone) at = (at + 1) & mask();
        entries_[at] = entry;
    }
    void grow() {
        std::vector<Entry> larger(entries_.size() * 2);
        std::swap(larger, entries_);
        for (const Entry &entry : larger)
            if (entry.slot != kNone) put(entry);
    }

    std::vector<Entry> entries_;  ///< a power of two
    std::uint64_t secret_;
    std::size_t count_ = 0;
};

}  // namespace farlink::cla::ltp
