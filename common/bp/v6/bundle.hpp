// SPDX-License-Identifier: Apache-2.0
// A BPv6 bundle as a value: every block, decoded and owned; for fragmentation, custody and tests.
// Owned by the caller of decode(); the data path uses BundleView instead.
// Any thread.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "common/bp/base/parse_error.hpp"
#include "common/bp/v6/builder.hpp"

namespace farlink::bp::v6 {

struct CanonicalBlock {
    std::uint8_t type = 0;
    std::uint64_t flags = 0;
    Bytes references;  ///< the list of endpoint references in wire format
    Bytes data;
    friend bool operator==(const CanonicalBlock &, const CanonicalBlock &) = default;
};

/// Blocks may refer to the dictionary, so it is kept unchanged, and endpoints as offsets into it.
struct Bundle {
    std::uint64_t flags = 0;
    std::array<std::uint64_t, 8> endpoints{};  ///< pairs: destination, source, report-to, custodian
    Bytes dictionary;                          ///< empty with CBHE
    std::uint64_t creation_time_s = 0;
    std::uint64_t sequence = 0;
    std::uint64_t lifetime_s = 0;
    std::uint64_t fragment_offset = 0;
    std::uint64_t total_adu_length = 0;
    std::vector<CanonicalBlock> blocks;

    [[nodiscard]] Eid destination() const { return endpoint(0); }
    [[nodiscard]] Eid source() const { return endpoint(1); }
    [[nodiscard]] Eid report_to() const { return endpoint(2); }
    [[nodiscard]] Eid custodian() const { return endpoint(3); }
    /// Names another current custodian (RFC 5050 section 5.10.1).
    void set_custodian(const EidView &custodian);
    /// The payload block's place in `blocks`.
    [[nodiscard]] std::size_t payload_index() const;
    [[nodiscard]] const CanonicalBlock &payload() const { return blocks[payload_index()]; }
    friend bool operator==(const Bundle &, const Bundle &) = default;

private:
    [[nodiscard]] Eid endpoint(std::size_t index) const;
};

/// Accepts what bp::parse() accepts.
[[nodiscard]] Result<Bundle, ParseError> decode(ByteView octets);
[[nodiscard]] Bytes encode(const Bundle &bundle);

/// Splits the payload before `split_at` bytes (RFC 5050 section 5.8); empty when the bundle must
/// not be fragmented or a part would be empty.
[[nodiscard]] std::optional<std::pair<Bundle, Bundle>> fragment(const Bundle &bundle,
                                                                std::uint64_t split_at);

}  // namespace farlink::bp::v6
