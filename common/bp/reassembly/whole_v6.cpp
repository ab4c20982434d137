// SPDX-License-Identifier: Apache-2.0
#include "common/bp/reassembly/whole_v6.hpp"

#include "common/bp/base/slices.hpp"
#include "common/bp/fragmentation/fragment_v6.hpp"
#include "common/bp/fragmentation/primary_parts_v6.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {

bool write_whole(const WholeOctets &first, ByteView trailing, std::uint64_t length,
                 JoinedBundle &joined) {
    PrimaryParts parts;
    if (!read_primary_parts(first.primary(), parts)) return false;
    // The length of the payload may grow.
    joined.head.resize(first.head.size() + codec::kMaxSdnvBytes);
    std::uint8_t *const begin = joined.head.data();
    std::uint8_t *to = write_primary_begin(begin, parts.flags & ~kIsFragment, parts.kept.size());
    to = put(put(to, parts.kept), first.blocks());
    to = write_payload_head(to, first.payload_head(), length, trailing.empty());
    joined.head.resize(static_cast<std::size_t>(to - begin));
    joined.tail.assign(trailing.begin(), trailing.end());
    return true;
}

}  // namespace farlink::bp::v6
