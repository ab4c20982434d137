// SPDX-License-Identifier: Apache-2.0
// Appends records to the ring of a bundle history.
// Owned by the module whose bundles it records; one thread. Readers use HistoryReader meanwhile.
// A record costs stores to memory: no allocation, no lock, no system call.
#pragma once

#include <cstdint>
#include <span>

#include "common/bp/parse.hpp"
#include "common/history/layout.hpp"
#include "common/history/past_bundle.hpp"

namespace farlink::history {

/// The memory of a ring, a file's or a test's.
class HistoryBlocks {
public:
    virtual ~HistoryBlocks() = default;
    /// Blocks that exist.
    [[nodiscard]] virtual std::size_t count() const = 0;
    /// The words of one of them.
    [[nodiscard]] virtual std::span<Word, kBlockWords> block(std::size_t index) = 0;
    /// Adds blocks behind them. False: the ring has its full size, or there is no room.
    [[nodiscard]] virtual bool grow() = 0;

protected:
    HistoryBlocks() = default;
    HistoryBlocks(const HistoryBlocks &) = default;
    HistoryBlocks &operator=(const HistoryBlocks &) = default;
};

/// What a record has of the bundle itself.
struct BundleFacts {
    bp::EidView source;
    bp::EidView destination;
    std::uint64_t creation_time = 0;
    std::uint64_t sequence = 0;
    std::uint64_t fragment_offset = 0;
    std::uint64_t fragment_length = 0;
    std::uint8_t version = 7;
    std::uint8_t hops = 0;  ///< when has_hops
    bool is_fragment = false;
    bool has_hops = false;
};

class HistoryWriter {
public:
    /// Continues behind the newest record. `blocks` is borrowed.
    explicit HistoryWriter(HistoryBlocks &blocks);

    void add(const BundleFacts &bundle, const Passage &passage);
    /// As add() for a bundle that differs from the last one in these numbers only. False: add() is
    /// needed.
    [[nodiscard]] bool add_again(std::uint64_t creation_time, std::uint64_t sequence,
                                 std::uint64_t size) {
        if (!has_last_ || used_ == kBlockSlots || (creation_time >> 48) != 0) return false;
        Word *const slot = block_ + used_ * kSlotWords;
        put(slot[0], last_[0]);
        put(slot[1], last_[1]);
        put(slot[2], sequence);
        put(slot[3], creation_time | tag_);
        put(slot[4], last_[4]);
        put(slot[5], last_[5]);
        put(slot[6], last_[6] | (size < kMask40 ? size : kMask40));
        put(slot[7], last_[7]);
        put(block_[kUsedWord], ++used_);
        return true;
    }
    /// A bundle ended without a record.
    void add_unrecorded(std::uint64_t bundles);

private:
    void find_newest();
    void begin_block(DtnTime now);
    void note_source(Word key);
    void write_numbers(Word *slot, const BundleFacts &bundle, const Passage &passage,
                       std::string_view source, std::string_view destination) const;
    void write_text(Word *slot, std::string_view text) const;

    HistoryBlocks &blocks_;
    Word *block_ = nullptr;  ///< null: there is no memory
    std::size_t index_ = 0;  ///< of it
    Word number_ = 0;        ///< of it
    Word tag_ = 0;
    std::size_t used_ = kBlockSlots;
    Word last_source_ = 0;
    bool has_last_source_ = false;
    DtnTime last_time_ = 0;
    std::array<Word, kSlotWords> last_{};  ///< the last record, without its own numbers
    bool has_last_ = false;                ///< it is in this block, and is one slot
};

}  // namespace farlink::history
