// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/missing_age_block.hpp"

#include "common/bp/v7/block.hpp"
#include "common/bp/v7/block_numbers.hpp"

namespace farlink::bp::v7 {

Bytes make_age_block(ByteView blocks) {
    constexpr std::uint8_t kNoAge[] = {0x00};
    BlockNumbers numbers;
    codec::CborReader reader(blocks);
    for (Block block; !reader.done();) {
        if (!read_block(reader, block)) return {};
        (void)numbers.insert(block.head.number);
    }
    const std::uint64_t number = numbers.lowest_free();
    if (number == 0) return {};
    Bytes made(kBlockOverhead + sizeof kNoAge);
    const std::uint8_t *const end =
        write_block(made.data(), kBundleAgeBlock, number, 0, CrcType::kCrc32c, kNoAge);
    made.resize(static_cast<std::size_t>(end - made.data()));
    return made;
}

}  // namespace farlink::bp::v7
