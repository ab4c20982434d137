// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/fragment_label.hpp"

namespace farlink::storage {
namespace {

constexpr std::uint8_t kFragment = 6;  // beside the kinds of an endpoint's label, and a stripe's
constexpr std::size_t kLengthAt = 9;
constexpr std::size_t kTotalAt = 17;
constexpr std::size_t kSetAt = 25;
constexpr std::size_t kSourceAt = 41;

}  // namespace

Bytes encode_fragment_label(const FragmentLabel &label) {
    Bytes out(kFragmentLabelBytes);
    out[0] = kFragment;
    store_be(&out[1], label.extent.offset);
    store_be(&out[kLengthAt], label.extent.length);
    store_be(&out[kTotalAt], label.total_adu_length);
    store_be(&out[kSetAt], label.set.high);
    store_be(&out[kSetAt + 8], label.set.low);
    store_be(&out[kSourceAt], label.source);
    append(out, label.endpoint);
    return out;
}

std::optional<FragmentLabel> decode_fragment_label(ByteView label) {
    if (label.size() < kFragmentLabelBytes || label[0] != kFragment) return std::nullopt;
    FragmentLabel fragment;
    fragment.extent.offset = load_be<std::uint64_t>(&label[1]);
    fragment.extent.length = load_be<std::uint64_t>(&label[kLengthAt]);
    fragment.total_adu_length = load_be<std::uint64_t>(&label[kTotalAt]);
    fragment.set.high = load_be<std::uint64_t>(&label[kSetAt]);
    fragment.set.low = load_be<std::uint64_t>(&label[kSetAt + 8]);
    fragment.source = load_be<std::uint64_t>(&label[kSourceAt]);
    fragment.endpoint = label.subspan(kFragmentLabelBytes);
    const bool inside =
        fragment.extent.length <= fragment.total_adu_length &&
        fragment.extent.offset <= fragment.total_adu_length - fragment.extent.length;
    if (!inside) return std::nullopt;
    return fragment;
}

}  // namespace farlink::storage
