// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/fragments/fragment_maker.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "common/base/invariant.hpp"
#include "common/bp/fragment.hpp"

namespace farlink::traffic {

FragmentMaker::FragmentMaker(BundleTemplate &bundles, const Pattern &pattern,
                             const FragmentOptions &options)
    : bundles_(bundles), pattern_(pattern), options_(options) {
    const std::uint64_t payload = bundles.tail_bytes() + PayloadHeader::kBytes;
    if (options.payload_bytes > 0)
        per_bundle_ = (payload + options.payload_bytes - 1) / options.payload_bytes;
}

const Bytes &FragmentMaker::fragment(PayloadHeader header, std::uint64_t number) {
    header.sequence = number / per_bundle_;
    if (header.sequence >= sent_unix_ns_.size()) sent_unix_ns_.resize(header.sequence + 1);
    std::uint64_t &sent = sent_unix_ns_[header.sequence];
    if (sent == 0) sent = header.sent_unix_ns;
    header.sent_unix_ns = sent;
    if (made_ != header.sequence) make(header);
    return fragments_[order_[number % per_bundle_]];
}

void FragmentMaker::make(const PayloadHeader &header) {
    Bytes rest(BundleTemplate::kHeadRoom);
    rest.resize(bundles_.head(header, rest.data()));
    for (std::uint64_t left = bundles_.tail_bytes(); left > 0;) {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, Pattern::kStretch));
        append(rest, pattern_.stretch().first(size));
        left -= size;
    }
    std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes> trailer;
    append(rest, ByteView(trailer).first(bundles_.trailer(trailer.data())));

    fragments_.clear();
    for (std::uint64_t i = 1; i < per_bundle_; ++i) {
        auto parts = bp::fragment(rest, options_.payload_bytes);
        FARLINK_INVARIANT(parts.has_value());
        fragments_.push_back(std::move(parts->first));
        rest = std::move(parts->second);
    }
    fragments_.push_back(std::move(rest));
    set_order(header.sequence);
    made_ = header.sequence;
}

// The same for a bundle each time, since fragments are sent again by their number.
void FragmentMaker::set_order(std::uint64_t bundle) {
    order_.resize(per_bundle_);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (options_.order == FragmentOrder::kReverse) std::ranges::reverse(order_);
    std::mt19937_64 random(options_.seed + bundle);
    if (options_.order == FragmentOrder::kShuffled) std::ranges::shuffle(order_, random);
}

}  // namespace farlink::traffic
