// SPDX-License-Identifier: Apache-2.0
// What custody changes in a bundle: the current custodian (RFC 5050 section 5.10.1) and the custody
// transfer enhancement block, CTEB (CCSDS 734.2-B-1). Plain functions over borrowed octets.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/bp/base/bundle_view.hpp"

namespace farlink::bp::v6 {

/// Whether a bundle requests custody and may get it: custody of a bundle with many destinations
/// is not defined (RFC 5050 section 5.10), and signals cannot distinguish bundles without a
/// source.
[[nodiscard]] bool wants_custody(const BundleView &view);

/// The custody id that the bundle's current custodian has assigned; empty without a valid CTEB.
/// `head` contains the octets in front of the payload block.
[[nodiscard]] std::optional<std::uint64_t> custody_id_of(const BundleView &view, ByteView head);

/// An upper bound of what write_custody_head() writes for a head of this size, in bytes.
[[nodiscard]] std::size_t custody_head_bound(std::size_t head_bytes, const EidView &custodian);

/// Writes the head of a bundle that bp::parse() accepted with `custodian` as its current custodian
/// to `out` (at least custody_head_bound() bytes), and returns its size. CTEBs of others are
/// removed; with `custody_id` the custodian's own replaces the first of them, or precedes the
/// payload block.
[[nodiscard]] std::size_t write_custody_head(ByteView head, const EidView &custodian,
                                             std::optional<std::uint64_t> custody_id,
                                             MutableBytes out);

}  // namespace farlink::bp::v6
