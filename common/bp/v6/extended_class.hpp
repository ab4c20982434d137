// SPDX-License-Identifier: Apache-2.0
// The extended class of service block, ECOS (block type 19, CCSDS 734.2-B-1,
// draft-irtf-dtnrg-ecos): a flags octet, an ordinal octet, and an optional flow label.
// Values and plain functions; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/parse_error.hpp"

namespace farlink::bp::v6 {

inline constexpr std::uint8_t kEcosCritical = 0x01;
inline constexpr std::uint8_t kEcosStreaming = 0x02;
inline constexpr std::uint8_t kEcosFlowLabel = 0x04;
inline constexpr std::uint8_t kEcosReliable = 0x08;

struct ExtendedClass {
    bool critical = false;     ///< sent by every route that may reach the destination in time
    bool streaming = false;    ///< a convergence layer without retransmission is sufficient
    bool reliable = false;     ///< a convergence layer with retransmission is requested
    std::uint8_t ordinal = 0;  ///< within the expedited class, 254 goes first; 255 is reserved
    std::optional<std::uint64_t> flow_label{};
    friend bool operator==(const ExtendedClass &, const ExtendedClass &) = default;
};

/// Reads the whole data of a block. Flags without a defined meaning are ignored.
[[nodiscard]] Result<ExtendedClass, ParseError> decode_extended_class(ByteView data);
[[nodiscard]] Bytes encode(const ExtendedClass &service);

}  // namespace farlink::bp::v6
