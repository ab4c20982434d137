// SPDX-License-Identifier: Apache-2.0
// The primary block of BPv7 (RFC 9171 section 4.3.1), and the CRC that all blocks share.
// Plain functions on values.
// Any thread.
#pragma once

#include <optional>

#include "apps/bpinspect/core/item_fields.hpp"

namespace farlink::inspect {

/// What the rest of the bundle is judged by, as far as it could be read.
struct Primary7 {
    OctetRange octets;
    std::uint64_t flags = 0;
    std::optional<std::uint64_t> crc_type;
    std::optional<bp::Eid> destination;
    std::optional<bp::Eid> source;
    std::optional<Timestamp> timestamp;
    std::optional<std::uint64_t> fragment_offset;
    std::optional<std::uint64_t> total_adu_length;

    [[nodiscard]] bool is_fragment() const;
    [[nodiscard]] bool is_admin_record() const;
    [[nodiscard]] bool is_anonymous() const { return source && source->view().is_null(); }
};

[[nodiscard]] Field primary_field7(const CborItem &block, const Window &window,
                                   Deviations &deviations, Primary7 &primary);

/// The CRC type of a block (section 4.2.1), noted where it is unknown; its meaning is set.
std::optional<std::uint64_t> read_crc_type(ItemList &list, Field &block, Deviations &deviations);

/// The CRC of `block`, which ends it; computed and compared where the block is whole.
[[nodiscard]] Field crc_field(const CborItem &crc, const CborItem &block, std::uint64_t crc_type,
                              const Window &window, Deviations &deviations);

}  // namespace farlink::inspect
