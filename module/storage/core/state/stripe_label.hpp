// SPDX-License-Identifier: Apache-2.0
// What stands in the label of a record that is one stripe of a bundle, before the endpoint's: which
// stripe, of how many, of which writing of the bundle, and on which disks the others lie.
// Plain functions; any thread.
// 5, number (1), count (1), 0 (1), writing (4), size of the bundle (8), a disk for each stripe
// (4 each), then the label that a whole bundle would have.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "common/base/bytes.hpp"
#include "module/storage/core/index/stripe_table.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

struct StripeLabel {
    std::uint8_t number = 0;  ///< from 0, in the order of the bundle's octets
    std::uint8_t count = 0;
    /// With the time of arrival it distinguishes stripes of two writings of one bundle:
    /// their octets need not be the same.
    std::uint32_t writing = 0;
    std::uint64_t bundle_bytes = 0;
    std::array<DiskId, kMaxDisks> disks{};  ///< by number
    ByteView endpoint;                      ///< the rest of the label; borrowed
};

[[nodiscard]] Bytes encode_stripe(const StripeLabel &label);
/// Empty when it is not the label of a stripe, or not a valid one.
[[nodiscard]] std::optional<StripeLabel> decode_stripe(ByteView label);

}  // namespace farlink::storage
