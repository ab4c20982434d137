// SPDX-License-Identifier: Apache-2.0
// Takes a bundle or an administrative record of either version apart.
// Plain functions; the result owns all that it has.
// Any thread.
#pragma once

#include "apps/bpinspect/core/inspection.hpp"
#include "common/base/bytes.hpp"

namespace farlink::inspect {

enum class Kind : std::uint8_t { kBundle6, kBundle7, kRecord6, kRecord7 };

/// By the first octet: a bundle of either version, or a record. Octets that begin like none of
/// them are taken as a BPv7 bundle.
[[nodiscard]] Kind guess_kind(ByteView octets);

/// Any octets at all.
[[nodiscard]] Inspection inspect(ByteView octets, Kind kind);

}  // namespace farlink::inspect
