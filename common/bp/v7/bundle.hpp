// SPDX-License-Identifier: Apache-2.0
// A BPv7 bundle as a value: every block, decoded and owned; for fragmentation and for tests.
// Owned by the caller of decode(); the data path uses BundleView instead.
// Any thread.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "common/bp/base/parse_error.hpp"
#include "common/bp/v7/builder.hpp"

namespace farlink::bp::v7 {

struct CanonicalBlock {
    std::uint64_t type = 0;
    std::uint64_t number = 0;
    std::uint64_t flags = 0;
    CrcType crc_type = CrcType::kNone;
    Bytes data;
    friend bool operator==(const CanonicalBlock &, const CanonicalBlock &) = default;
};

struct Bundle {
    std::uint64_t flags = 0;
    CrcType crc_type = CrcType::kNone;
    Eid destination;
    Eid source;
    Eid report_to;
    std::uint64_t creation_time_ms = 0;
    std::uint64_t sequence = 0;
    std::uint64_t lifetime_ms = 0;
    std::uint64_t fragment_offset = 0;
    std::uint64_t total_adu_length = 0;
    std::vector<CanonicalBlock> blocks;  ///< the payload block is the last

    [[nodiscard]] PrimaryFields primary() const;
    [[nodiscard]] const CanonicalBlock &payload() const { return blocks.back(); }
    friend bool operator==(const Bundle &, const Bundle &) = default;
};

/// Accepts what bp::parse() accepts.
[[nodiscard]] Result<Bundle, ParseError> decode(ByteView octets);
/// Encodes in deterministic form, independent of the decoded form.
[[nodiscard]] Bytes encode(const Bundle &bundle);

/// Splits the payload before `split_at` bytes (RFC 9171 section 5.8); empty when the bundle must
/// not be fragmented or a part would be empty.
[[nodiscard]] std::optional<std::pair<Bundle, Bundle>> fragment(const Bundle &bundle,
                                                                std::uint64_t split_at);

}  // namespace farlink::bp::v7
