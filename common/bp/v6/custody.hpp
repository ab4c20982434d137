// SPDX-License-Identifier: Apache-2.0
// What custody changes in a bundle: the current custodian (RFC 5050 section 5.10.1) and the custody
// transfer enhancement block, CTEB (CCSDS 734.2-B-1). Plain functions over borrowed octets.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/bp/bundle_view.hpp"

namespace farlink::bp::v6 {

/// Whether a bundle asks for custody and may get it: what custody of a bundle with many
/// destinations means is not defined (RFC 5050 section 5.10), and signals do not tell bundles
/// without a source apart.
[[nodiscard]] bool wants_custody(const BundleView &view);

/// The custody id that the bundle's current custodian has given it; empty without a CTEB that is
/// valid. `head` are its octets up to the payload block.
[[nodiscard]] std::optional<std::uint64_t> custody_id_of(const BundleView &view, ByteView head);

/// An upper bound of what write_custody_head() writes for a head of this size, in bytes.
[[nodiscard]] std::size_t custody_head_bound(std::size_t head_bytes, const EidView &custodian);

/// Writes the head of a bundle that bp::parse() accepted with `custodian` as its current custodian
/// to `out` (at least custody_head_bound() bytes), and returns its size. CTEBs of others are left
/// out; with `custody_id` the custodian's own stands in the place of the first, or before the
/// payload block.
[[nodiscard]] std::size_t write_custody_head(ByteView head, const EidView &custodian,
                                             std::optional<std::uint64_t> custody_id,
                                             MutableBytes out);

}  // namespace farlink::bp::v6
