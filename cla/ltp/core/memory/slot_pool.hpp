// SPDX-License-Identifier: Apache-2.0
// Sessions of one direction, by the number of their place; places are reused.
// Owned by the engine; one thread. A session does not move, and keeps its place until release().
// A handle contains the generation of its place, so that an old handle finds nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "cla/ltp/core/codec/types.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {

template <class T>
class SlotPool {
public:
    static constexpr std::uint32_t kChunk = 256;

    [[nodiscard]] std::uint32_t acquire() {
        if (free_.empty()) grow();
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        place(slot).used = true;
        ++used_;
        return slot;
    }
    void release(std::uint32_t slot) {
        Place &gone = place(slot);
        FARLINK_INVARIANT(gone.used);
        gone.value = T{};
        gone.used = false;
        newest_ = std::max(newest_, ++gone.generation);
        --used_;
        free_.push_back(slot);
    }
    /// Gives all memory back when no place is used; old handles still find nothing.
    void give_back() {
        if (used_ > 0) return;
        decltype(chunks_)().swap(chunks_);
        decltype(free_)().swap(free_);
        oldest_ = newest_;
    }
    [[nodiscard]] T &operator[](std::uint32_t slot) { return place(slot).value; }
    [[nodiscard]] SessionHandle handle(std::uint32_t slot) const {
        return {slot, place(slot).generation};
    }
    /// Null when the session of that handle has ended.
    [[nodiscard]] T *find(SessionHandle handle) {
        if (handle.slot >= capacity()) return nullptr;
        Place &there = place(handle.slot);
        return there.used && there.generation == handle.generation ? &there.value : nullptr;
    }
    template <class Each>
    void for_each(Each &&each) {
        for (std::uint32_t slot = 0; slot < capacity(); ++slot)
            if (place(slot).used) each(slot, place(slot).value);
    }
    [[nodiscard]] std::size_t used() const { return used_; }
    [[nodiscard]] std::uint32_t capacity() const {
        return static_cast<std::uint32_t>(chunks_.size()) * kChunk;
    }
    [[nodiscard]] std::size_t bytes() const {
        return chunks_.size() * kChunk * sizeof(Place) + free_.capacity() * sizeof(free_[0]);
    }

private:
    struct Place {
        T value{};
        std::uint32_t generation = 0;
        bool used = false;
    };

    [[nodiscard]] Place &place(std::uint32_t slot) { return chunks_[slot / kChunk][slot % kChunk]; }
    [[nodiscard]] const Place &place(std::uint32_t slot) const {
        return chunks_[slot / kChunk][slot % kChunk];
    }
    void grow() {
        const std::uint32_t first = capacity();
        chunks_.push_back(std::make_unique<Place[]>(kChunk));
        for (std::uint32_t i = 0; i < kChunk; ++i) chunks_.back()[i].generation = oldest_;
        free_.reserve(capacity());
        for (std::uint32_t i = kChunk; i > 0; --i) free_.push_back(first + i - 1);
    }

    std::vector<std::unique_ptr<Place[]>> chunks_;
    std::vector<std::uint32_t> free_;
    std::size_t used_ = 0;
    std::uint32_t oldest_ = 0;  ///< generation of new places
    std::uint32_t newest_ = 0;  ///< the largest generation of any place so far
};

}  // namespace farlink::cla::ltp
