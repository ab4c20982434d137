// SPDX-License-Identifier: Apache-2.0
// The blocks behind BPv7's primary block (RFC 9171 sections 4.3.2 and 4.4, RFC 9172 section 3).
// Plain functions on values; a block borrows the tree of its bundle.
// Any thread.
#pragma once

#include <set>
#include <span>

#include "apps/bpinspect/core/v7/primary.hpp"

namespace farlink::inspect {

/// The head of a block, as far as it could be read.
struct Block7 {
    Field field;  ///< its head; the data and the CRC are appended by finish_block7()
    const CborItem *item = nullptr;
    const CborItem *data = nullptr;  ///< a byte string of definite length
    const CborItem *crc = nullptr;
    std::uint64_t type = 0;
    std::uint64_t number = 0;
    std::uint64_t flags = 0;
    std::uint64_t crc_type = 0;
    bool readable = false;  ///< type, number and data
};

[[nodiscard]] Block7 read_block7(const CborItem &item, Deviations &deviations);

/// Which blocks are targets of security blocks. Number 0 is the primary block.
struct Protected7 {
    std::set<std::uint64_t> is_signed;
    std::set<std::uint64_t> is_encrypted;
};
[[nodiscard]] Protected7 read_targets(std::span<const Block7> blocks);

/// The content of the extension blocks that RFC 9171 defines. False for any other type.
bool add_extension7(const Block7 &block, Field &data, Deviations &deviations);
/// The content of a security block (RFC 9172 section 3.6).
void add_security7(const Block7 &block, std::span<const Block7> blocks, Field &data,
                   Deviations &deviations);

/// The data of a block as a field.
[[nodiscard]] Field data_field7(const Block7 &block, std::span<const Block7> blocks,
                                const Protected7 &targets, const Primary7 &primary,
                                Deviations &deviations);

/// What concerns blocks among each other.
void judge_blocks7(std::span<const Block7> blocks, const CborItem &bundle, const Primary7 &primary,
                   const Protected7 &targets, Deviations &deviations);

}  // namespace farlink::inspect
