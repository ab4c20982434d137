// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/stripe_label.hpp"

#include <limits>

namespace farlink::storage {
namespace {

constexpr std::uint8_t kStripe = 5;  // beside the kinds of an endpoint's label
constexpr std::size_t kDisksAt = 16;

}  // namespace

Bytes encode_stripe(const StripeLabel &label) {
    Bytes out(stripe_label_bytes(label.count));
    out[0] = kStripe;
    out[1] = label.number;
    out[2] = label.count;
    store_be(&out[4], label.writing);
    store_be(&out[8], label.bundle_bytes);
    for (std::size_t at = 0; at < label.count; ++at)
        store_be(&out[kDisksAt + 4 * at], label.disks[at]);
    append(out, label.endpoint);
    return out;
}

std::optional<StripeLabel> decode_stripe(ByteView label) {
    if (label.size() < kDisksAt || label[0] != kStripe) return std::nullopt;
    StripeLabel stripe;
    stripe.number = label[1];
    stripe.count = label[2];
    if (stripe.count < 2 || stripe.count > kMaxDisks || stripe.number >= stripe.count ||
        label.size() < stripe_label_bytes(stripe.count))
        return std::nullopt;
    stripe.writing = load_be<std::uint32_t>(&label[4]);
    stripe.bundle_bytes = load_be<std::uint64_t>(&label[8]);
    if (stripe.bundle_bytes > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    for (std::size_t at = 0; at < stripe.count; ++at)
        stripe.disks[at] = load_be<DiskId>(&label[kDisksAt + 4 * at]);
    stripe.endpoint = label.subspan(stripe_label_bytes(stripe.count));
    return stripe;
}

}  // namespace farlink::storage
