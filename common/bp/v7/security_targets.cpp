// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/security_targets.hpp"

#include "common/bp/v7/block.hpp"

namespace farlink::bp::v7 {
namespace {

/// RFC 9172 section 3.6: an abstract security block begins with its targets. The targets of a
/// block that cannot be read (a BIB may itself be encrypted) are unknown here; it counts as none.
bool lists_target(ByteView security_block, std::uint64_t number) {
    codec::CborReader reader(security_block);
    std::uint64_t count = 0;
    if (!reader.array(count)) return false;
    std::uint64_t target = 0;
    for (std::uint64_t i = 0; i < count && reader.uint(target); ++i)
        if (target == number) return true;
    return false;
}

}  // namespace

bool is_security_target(ByteView blocks, std::uint64_t security_type, std::uint64_t number) {
    codec::CborReader reader(blocks);
    for (Block block; !reader.done();) {
        if (!read_block(reader, block)) return false;
        if (block.head.type == security_type && lists_target(block.data, number)) return true;
    }
    return false;
}

bool is_protected(ByteView blocks, std::uint64_t number) {
    // A target of 0 is the primary block, not a block that arrived without a number.
    return (number != 0 && is_security_target(blocks, kIntegrityBlock, number)) ||
           is_security_target(blocks, kConfidentialityBlock, number);
}

}  // namespace farlink::bp::v7
