// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/block.hpp"

#include <limits>

#include "common/bp/base/slices.hpp"

namespace farlink::bp::v6 {

Check read_block_head(SdnvReader &reader, BlockHead &head) {
    const std::uint8_t *const begin = reader.left().data();
    const auto offset = [&] { return static_cast<std::size_t>(reader.left().data() - begin); };
    if (reader.left().empty()) return fail(ParseError::kTruncated);
    head.type = reader.left()[0];
    reader.skip(1);
    if (const Check flags = reader.read(head.flags); !flags) return flags;
    head.flags_last = offset() - 1;
    if ((head.flags & kHasEidReferences) != 0) {
        std::uint64_t references = 0;
        std::uint64_t pair[2];
        if (const Check count = reader.read(references); !count) return count;
        for (; references != 0; --references)
            if (const Check read = reader.read(pair); !read) return read;
    }
    head.length_at = offset();
    if (const Check length = reader.read(head.data_size); !length) return length;
    head.data_at = offset();
    return {};
}

Check read_block(SdnvReader &reader, Block &block) {
    const ByteView from = reader.left();
    if (const Check head = read_block_head(reader, block.head); !head) return head;
    if (block.head.data_size > reader.left().size()) return fail(ParseError::kTruncated);
    reader.skip(static_cast<std::size_t>(block.head.data_size));
    block.octets = from.first(from.size() - reader.left().size());
    return {};
}

bool read_bundle_age(ByteView data, std::uint64_t &age_us) {
    const auto age = codec::decode_sdnv(data);
    if (!age || age->size != data.size()) return false;
    age_us = age->value;
    return true;
}

std::uint8_t *write_older(std::uint8_t *to, const Block &block, std::uint64_t residence_ms) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t age_us = 0;
    if (!read_bundle_age(block.data(), age_us)) age_us = kMost;
    const std::uint64_t more_us =
        residence_ms > kMost / kMicrosecondsPerMs ? kMost : residence_ms * kMicrosecondsPerMs;
    age_us = age_us > kMost - more_us ? kMost : age_us + more_us;

    to = put(to, block.octets.first(block.head.length_at));
    to += codec::encode_sdnv(codec::sdnv_size(age_us), to);
    return to + codec::encode_sdnv(age_us, to);
}

}  // namespace farlink::bp::v6
