// SPDX-License-Identifier: Apache-2.0
// How an endpoint is written into the label of a record: the same octets in every release.
// Plain functions; any thread.
// One octet for the scheme, then node and service number (8 octets each), or the name. Where the
// source is to be remembered: 4, the size of the destination's label (2 octets), it, the source's.
#pragma once

#include <optional>

#include "common/base/bytes.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::storage {

/// Replaces the content of `out`.
void encode_label(const bp::EidView &endpoint, Bytes &out);
/// With its source.
void encode_label(const bp::EidView &destination, const bp::EidView &source, Bytes &out);
/// The destination. The view borrows the label.
[[nodiscard]] std::optional<bp::EidView> decode_label(ByteView label);
/// Empty when the label does not contain the source.
[[nodiscard]] std::optional<bp::EidView> decode_source(ByteView label);

}  // namespace farlink::storage
