// SPDX-License-Identifier: Apache-2.0
// Whether a bundle may be fragmented (RFC 9171 sections 4.2.3 and 5.8, RFC 5050 section 5.8).
// Plain functions.
// Any thread.
#pragma once

#include "common/base/bytes.hpp"
#include "common/bp/base/bundle_view.hpp"

namespace farlink::bp {

/// `view` is of a bundle that parse() accepted and `head` its octets up to the payload block. False
/// for bundles that are flagged so, that are anonymous, that request custody, that are secured by
/// RFC 6257, and where a fragment would lack the protection or the age that the bundle has.
[[nodiscard]] bool may_be_fragmented(const BundleView &view, ByteView head);

}  // namespace farlink::bp
