// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragmentation/primary_parts_v6.hpp"

#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {

// parse() has accepted the block, so that every read succeeds.
bool read_primary_parts(ByteView primary, PrimaryParts &parts) {
    SdnvReader whole(primary);
    RawPrimary raw;
    if (!read_raw_primary(whole, raw)) return false;
    SdnvReader reader(primary.subspan(1));
    std::uint64_t skipped = 0;
    if (!reader.read(skipped) || !reader.read(skipped)) return false;  // the flags, the length
    parts.flags = raw.flags;
    const std::uint8_t *const end = raw.dictionary.data() + raw.dictionary.size();
    parts.kept = {reader.left().data(), end};
    return true;
}

std::uint8_t *write_primary_begin(std::uint8_t *to, std::uint64_t flags, std::size_t length) {
    *to++ = kVersion;
    to += codec::encode_sdnv(flags, to);
    return to + codec::encode_sdnv(length, to);
}

}  // namespace farlink::bp::v6
