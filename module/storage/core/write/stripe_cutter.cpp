// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/stripe_cutter.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// Hands out the octets of a bundle piece by piece.
class SliceCutter {
public:
    explicit SliceCutter(std::span<const ByteView> slices) : slices_(slices) {}

    void take(std::uint64_t bytes, std::vector<ByteView> &to) {
        while (bytes > 0 && !slices_.empty()) {
            const ByteView rest = slices_.front().subspan(used_);
            const ByteView some = rest.first(std::min<std::uint64_t>(bytes, rest.size()));
            if (!some.empty()) to.push_back(some);
            bytes -= some.size();
            used_ += some.size();
            if (some.size() < rest.size()) return;
            slices_ = slices_.subspan(1);
            used_ = 0;
        }
    }

private:
    std::span<const ByteView> slices_;
    std::size_t used_ = 0;  ///< of the first of them
};

}  // namespace

std::vector<DiskRecord> cut_stripes(const DiskRecord &whole, std::span<const StripeShare> shares,
                                    StripeLabel label, std::vector<StripeSpace> &spaces) {
    std::vector<DiskRecord> records;
    SliceCutter cutter(whole.slices);
    label.endpoint = whole.label;
    label.number = 0;
    for (const StripeShare &share : shares) {
        StripeSpace &space = spaces.emplace_back();
        space.label = encode_stripe(label);
        cutter.take(share.bytes, space.slices);
        DiskRecord &stripe = records.emplace_back(whole);
        stripe.head.size = share.bytes;
        stripe.label = space.label;
        stripe.slices = space.slices;
        stripe.stripe = label.number++;
    }
    return records;
}

}  // namespace farlink::storage
