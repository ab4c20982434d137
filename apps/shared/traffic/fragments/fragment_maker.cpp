// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/fragment_maker.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "common/base/copy_octets.hpp"
#include "common/base/invariant.hpp"
#include "common/bp/fragment.hpp"
#include "common/bp/fragmentation/fragment_v7.hpp"
#include "common/bp/parse.hpp"

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
    if (rest[0] == bp::kBpVersion6)
        cut_v6(std::move(rest));
    else
        cut_v7(rest);
    set_order(header.sequence);
    made_ = header.sequence;
}

void FragmentMaker::cut_v6(Bytes rest) {
    for (std::uint64_t i = 1; i < per_bundle_; ++i) {
        auto parts = bp::fragment(rest, options_.payload_bytes);
        FARLINK_INVARIANT(parts.has_value());
        fragments_.push_back(std::move(parts->first));
        rest = std::move(parts->second);
    }
    fragments_.push_back(std::move(rest));
}

// Each octet is copied once: the generator must not be slower than the node that joins.
void FragmentMaker::cut_v7(ByteView bundle) {
    const auto view = bp::parse_again({&bundle, 1});
    FARLINK_INVARIANT(view.has_value());
    codec::CborReader reader(bundle.subspan(view->head_end));
    bp::v7::BlockHead payload;
    FARLINK_INVARIANT(bp::v7::read_block_head(reader, payload).has_value());
    const std::size_t head_bound = view->payload_offset + bp::v7::kFragmentHeadGrowth;
    const std::size_t tail_bytes = bp::v7::payload_tail_size(payload);
    for (std::uint64_t at = 0; at < view->payload_length; at += options_.payload_bytes) {
        const std::uint64_t length = std::min(options_.payload_bytes, view->payload_length - at);
        const std::uint64_t from = view->payload_offset + at;
        Bytes &fragment = fragments_.emplace_back(head_bound + length + tail_bytes);
        std::uint8_t *const payload_head =
            bp::v7::write_fragment_blocks(fragment.data(), bundle.first(view->head_end),
                                          view->primary_end, {at, view->payload_length, at == 0});
        std::uint8_t *const data = bp::v7::write_payload_head(payload_head, payload, length);
        std::uint8_t *const tail = copy_octets(bundle.subspan(from, length), data);
        const std::uint8_t *const end = bp::v7::write_payload_tail(
            tail, payload, {payload_head, data}, {&bundle, 1}, from, from + length);
        fragment.resize(static_cast<std::size_t>(end - fragment.data()));
    }
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
