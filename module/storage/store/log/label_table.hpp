// SPDX-License-Identifier: Apache-2.0
// The labels of the records of a log file, each once, numbered in the order of their arrival.
// Owned by an IndexBuilder; one thread.
// A fragment has a label of its own, so there may be as many as records: a label takes its octets
// and about 20 more.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/octet_chunks.hpp"
#include "common/codec/sdnv.hpp"

namespace farlink::storage {

class LabelTable {
public:
    /// From 0; one that is new gets the next number.
    [[nodiscard]] std::uint32_t number_of(ByteView label) {
        if (count_ > 0 && label_at(last_) == as_text(label)) return last_.number;
        if ((count_ + 1) * 16 > slots_.size() * 13) grow();
        const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(as_text(label)));
        std::size_t at = home(hash);
        for (; slots_[at].used(); at = next(at))
            if (slots_[at].hash == hash && label_at(slots_[at]) == as_text(label)) break;
        if (!slots_[at].used())
            slots_[at] = {hash, static_cast<std::uint32_t>(count_++), add(label)};
        last_ = slots_[at];
        return last_.number;
    }
    [[nodiscard]] std::size_t size() const { return count_; }
    /// Size (SDNV) and octets of each, in the order of their numbers.
    [[nodiscard]] const OctetChunks &octets() const { return octets_; }
    /// Keeps the memory.
    void clear() {
        octets_.clear();
        std::ranges::fill(slots_, Slot{});
        count_ = 0;
    }

private:
    static constexpr std::uint32_t kNone = 0xffffffffU;
    static constexpr std::size_t kLeast = 16;

    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t number = kNone;
        std::uint32_t place = 0;  ///< in octets_: a log file has less than 4 GiB of labels
        [[nodiscard]] bool used() const { return number != kNone; }
    };

    [[nodiscard]] std::size_t home(std::uint32_t hash) const { return hash & (slots_.size() - 1); }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
    [[nodiscard]] std::string_view label_at(const Slot &slot) const {
        const ByteView octets = octets_.from(slot.place);
        const auto size = codec::decode_sdnv(octets);
        return as_text(octets.subspan(size->size, size->value));
    }
    [[nodiscard]] std::uint32_t add(ByteView label) {
        scratch_.clear();
        codec::append_sdnv(scratch_, label.size());
        append(scratch_, label);
        return static_cast<std::uint32_t>(octets_.append(scratch_));
    }
    void grow() {
        const std::vector<Slot> old =
            std::exchange(slots_, std::vector<Slot>(std::max(kLeast, slots_.size() * 2)));
        for (const Slot &slot : old) {
            if (!slot.used()) continue;
            std::size_t at = home(slot.hash);
            while (slots_[at].used()) at = next(at);
            slots_[at] = slot;
        }
    }

    OctetChunks octets_;
    std::vector<Slot> slots_;  ///< a power of two, at most 13/16 full
    std::size_t count_ = 0;
    Slot last_;  ///< neighbours mostly go the same way
    Bytes scratch_;
};

}  // namespace farlink::storage
