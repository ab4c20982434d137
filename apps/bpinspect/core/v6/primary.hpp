// SPDX-License-Identifier: Apache-2.0
// The primary block of BPv6 (RFC 5050 section 4.5.1, RFC 6260).
// Plain functions on values.
// Any thread.
#pragma once

#include <optional>

#include "apps/bpinspect/core/v6/sdnv_walk.hpp"

namespace farlink::inspect {

struct Primary6 {
    OctetRange octets;
    std::uint64_t flags = 0;
    Window dictionary;
    std::optional<std::string> destination;
    std::optional<bp::Eid> source;
    std::optional<std::string> custodian;
    std::optional<std::uint64_t> creation_time_s;
    std::optional<std::uint64_t> sequence;
    std::optional<std::uint64_t> fragment_offset;
    std::optional<std::uint64_t> total_adu_length;

    [[nodiscard]] bool is_fragment() const;
    [[nodiscard]] bool is_admin_record() const;
};

[[nodiscard]] Field primary_field6(SdnvWalk &walk, const Window &window, Deviations &deviations,
                                   Primary6 &primary);

/// The endpoint of a pair of dictionary offsets, or of CBHE's numbers; empty, and noted, where
/// there is none.
[[nodiscard]] std::optional<bp::Eid> endpoint6(const Window &dictionary, std::uint64_t scheme,
                                               std::uint64_t ssp, OctetRange at,
                                               Deviations &deviations);

}  // namespace farlink::inspect
