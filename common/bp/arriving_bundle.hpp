// SPDX-License-Identifier: Apache-2.0
// Parses and checks a bundle that is too large for memory, piece by piece in the order of its
// octets: the head from the first piece, the CRC of the payload block over all of them.
// Owned by whoever takes the pieces; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "common/bp/parse.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::bp {

class ArrivingBundle {
public:
    /// Reads the head, which lies in first[0]; as parse() otherwise. The view's `size` is that of
    /// the whole bundle, which follows from the head: what is behind the payload has a fixed
    /// length. BPv6 bundles with blocks behind the payload are kTrailingOctets.
    [[nodiscard]] Result<BundleView, ParseError> begin(std::span<const ByteView> first);
    /// Takes the octets of the next piece, the first one too. An error means that the bundle is
    /// malformed, and no more pieces are taken.
    [[nodiscard]] Result<void, ParseError> add(std::span<const ByteView> piece);
    /// No octet follows: whether the bundle is complete and correct.
    [[nodiscard]] Result<void, ParseError> finish();

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Octets taken so far.
    [[nodiscard]] std::uint64_t taken() const { return taken_; }

private:
    /// More than the CRC and the breaks behind the payload.
    static constexpr std::size_t kMostTail = 16;

    void add_octets(ByteView octets);

    std::uint64_t size_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t block_begin_ = 0;         ///< of the payload block
    std::uint64_t crc_at_ = 0;              ///< of the CRC's octets
    std::uint64_t data_end_ = 0;            ///< of the payload
    std::optional<v7::BlockHead> payload_;  ///< BPv7
    v7::BlockCrc crc_{v7::CrcType::kNone};
    std::array<std::uint8_t, kMostTail> tail_{};  ///< what is behind the payload
};

}  // namespace farlink::bp
