// SPDX-License-Identifier: Apache-2.0
// Where things are in a file of the bundle history: docs/formats/bundle-history.md.
// Constants and plain functions on 64-bit words.
// Any thread.
// One thread writes while others, of other processes too, read: every word is an atomic.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/bp/eid/eid.hpp"

namespace farlink::history {

using Word = std::uint64_t;

inline constexpr std::size_t kSlotWords = 8;
inline constexpr std::size_t kBlockSlots = 1024;
inline constexpr std::size_t kBlockWords = kBlockSlots * kSlotWords;
inline constexpr std::size_t kBlockBytes = kBlockWords * sizeof(Word);
/// Of a block: a slot that describes it, and the filter of its sources.
inline constexpr std::size_t kFilterSlots = 8;
inline constexpr std::size_t kFirstRecord = 1 + kFilterSlots;
inline constexpr std::size_t kRecordsPerBlock = kBlockSlots - kFirstRecord;
inline constexpr std::size_t kFilterBits = kFilterSlots * kSlotWords * 64;

/// Words of the first slot of a block.
inline constexpr std::size_t kNumberWord = 0;  ///< of the block, from 1; 0: being begun anew
inline constexpr std::size_t kUsedWord = 1;    ///< slots in use, these ones included
inline constexpr std::size_t kFirstTimeWord = 2;
inline constexpr std::size_t kLastTimeWord = 3;
inline constexpr std::size_t kUnrecordedWord = 4;  ///< bundles that got no record, while it filled

/// Bits of a record.
inline constexpr std::uint8_t kIsVersion6 = 1;
inline constexpr std::uint8_t kIsFragment = 2;
inline constexpr std::uint8_t kHasHops = 4;
inline constexpr std::uint8_t kSourceIsName = 8;
inline constexpr std::uint8_t kDestinationIsName = 16;
inline constexpr std::uint8_t kNoSource = 32;
inline constexpr std::uint8_t kNoDestination = 64;
inline constexpr std::uint8_t kNamesAreCut = 128;

/// Octets of text in a slot, and of one name at most.
inline constexpr std::size_t kTextBytes = (kSlotWords - 1) * sizeof(Word);
inline constexpr std::size_t kMostNameBytes = 4 * kTextBytes;
inline constexpr std::size_t kMostSlots = 2 + 2 * kMostNameBytes / kTextBytes;

inline constexpr Word kMask48 = (Word{1} << 48) - 1;
inline constexpr Word kMask40 = (Word{1} << 40) - 1;
inline constexpr Word kMask32 = (Word{1} << 32) - 1;
inline constexpr unsigned kTagShift = 48;
/// Of a block; a larger number is damage.
inline constexpr Word kMostNumber = kMask48;

/// All words are written with these, so that a reader finds them in the order of writing.
inline void put(Word &word, Word value) {
    std::atomic_ref(word).store(value, std::memory_order_release);
}
[[nodiscard]] inline Word get(const Word &word) {
    // A load changes nothing; C++23 has no atomic_ref of what is const.
    return std::atomic_ref(const_cast<Word &>(word)).load(std::memory_order_acquire);
}

/// In each slot of a block; another one shows that the slot is of an earlier round of the ring.
[[nodiscard]] constexpr Word tag_of(Word block_number) {
    return (block_number & 0xffff) << kTagShift;
}

/// The number of an ipn node, or a hash of a name.
[[nodiscard]] inline Word key_of(const bp::EidView &eid) {
    if (eid.name.empty()) return eid.node;
    Word hash = 0xcbf29ce484222325ULL;  // FNV-1a
    for (const char c : eid.name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

/// The two bits of the filter that a source sets.
[[nodiscard]] inline std::array<std::size_t, 2> filter_bits(Word source_key) {
    const Word mixed = (source_key ^ (source_key >> 29)) * 0x9fb21c651e98df25ULL;
    return {static_cast<std::size_t>(mixed >> 52), static_cast<std::size_t>(mixed >> 40) & 0xfff};
}
static_assert(kFilterBits == 4096);

}  // namespace farlink::history
