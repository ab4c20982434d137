// SPDX-License-Identifier: Apache-2.0
// How an endpoint is written into the label of a record: the same octets in every release.
// Plain functions; any thread.
// One octet for the scheme, then node and service number (8 octets each), or the name.
#pragma once

#include <optional>

#include "common/base/bytes.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::storage {

/// Replaces the content of `out`.
void encode_label(const bp::EidView &endpoint, Bytes &out);
/// The view borrows the label.
[[nodiscard]] std::optional<bp::EidView> decode_label(ByteView label);

}  // namespace farlink::storage
