// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_inbox.hpp"

#include <algorithm>

#include "cla/ltp/core/bundle_extent.hpp"

namespace farlink::cla::ltp {

// The block of this bundle's number, or the first one behind it.
std::size_t BundleInbox::locate(std::uint64_t transfer) const {
    std::size_t begin = 0;
    std::size_t end = open_.size();
    while (begin < end) {
        const std::size_t middle = (begin + end) / 2;
        if (open_[middle].end() <= transfer)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

void BundleInbox::append_bundle(const ReceivedBlock &block, std::uint64_t begin, std::uint64_t end,
                                ReceivedBundles &out) {
    ReceivedBundle bundle;
    bundle.size = end - begin;
    bundle.first_slice = static_cast<std::uint32_t>(out.slices.size());
    bundle.first_slab = static_cast<std::uint32_t>(out.slabs.size());
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < block.slices.size() && at < end; ++i) {
        const ByteView slice = block.slices[i];
        const std::uint64_t from = std::max(begin, at);
        const std::uint64_t to = std::min(end, at + slice.size());
        if (from < to) {
            out.slices.push_back(slice.subspan(static_cast<std::size_t>(from - at),
                                               static_cast<std::size_t>(to - from)));
            out.slabs.push_back(block.slabs[i]);
            ++bundle.slice_count;
            ++bundle.slab_count;
        }
        at += slice.size();
    }
    out.bundles.push_back(bundle);
}

std::size_t BundleInbox::take(const ReceivedBlock &block, ReceivedBundles &out) {
    if (out.empty()) out.first_transfer = next_transfer_;
    const bool aggregate = block.service == kAggregationService;
    ChainReader reader(block.slices);
    std::uint32_t count = 0;
    while (reader.position() < block.size) {
        std::uint64_t service = kBundleService;
        if (aggregate && (!reader.sdnv(service) || service != kBundleService)) {
            ++broken_aggregates_;
            break;
        }
        const std::uint64_t begin = reader.position();
        if (begin == block.size) break;
        const bool ends = skip_bundle(reader);
        append_bundle(block, begin, ends ? reader.position() : block.size, out);
        ++count;
        if (!ends) break;
    }
    if (count == 0) return 0;
    open_.push_back({block.session, next_transfer_, count, count, false, block.size});
    unacknowledged_bytes_ += block.size;
    next_transfer_ += count;
    return count;
}

}  // namespace farlink::cla::ltp
