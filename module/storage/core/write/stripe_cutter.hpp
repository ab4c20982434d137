// SPDX-License-Identifier: Apache-2.0
// Makes the records of a bundle's stripes out of that of the whole bundle.
// Plain functions; any thread.
// No octet is copied: a stripe refers to parts of the bundle's slices.
#pragma once

#include <span>
#include <vector>

#include "module/storage/core/state/placement.hpp"
#include "module/storage/core/state/stripe_label.hpp"

namespace farlink::storage {

/// What the record of a stripe refers to.
struct StripeSpace {
    Bytes label;
    std::vector<ByteView> slices;
};

/// A record for each share, in their order. `label` is theirs but for number and endpoint; what
/// they refer to is appended to `spaces`, which may be moved but not changed while they are used.
[[nodiscard]] std::vector<DiskRecord> cut_stripes(const DiskRecord &whole,
                                                  std::span<const StripeShare> shares,
                                                  StripeLabel label,
                                                  std::vector<StripeSpace> &spaces);

}  // namespace farlink::storage
