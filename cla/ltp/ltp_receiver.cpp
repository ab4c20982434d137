// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_receiver.hpp"

#include <algorithm>

#include "cla/ltp/core/bundle_boundary.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {

LtpReceiver::LtpReceiver(LinkResources resources, LtpPort &port, LinkId link,
                         const config::LinkOptions &options)
    : resources_(resources), port_(port), link_(link), options_(options) {}

void LtpReceiver::open(const PeerIdentity &peer) {
    upstream_ = UpstreamId{resources_.next_upstream++};
    resources_.host.on_upstream_opened(link_, upstream_, true);
    resources_.host.on_peer(link_, upstream_, peer);
}

void LtpReceiver::close(LinkFault fault) {
    if (upstream_ == kNoUpstream) return;
    const UpstreamId gone = std::exchange(upstream_, kNoUpstream);
    transfers_.clear();
    next_number_ = unsettled_bytes_ = 0;
    resources_.host.on_upstream_closed(link_, gone, fault);
}

void LtpReceiver::handle(const ReceivedBlock &block) {
    const TimePoint now = monotonic_now();
    if (upstream_ == kNoUpstream) return port_.engine().block_refused(block.session, now);
    // One block may always come, however large.
    if (!transfers_.empty() && unsettled_bytes_ + block.size > options_.max_unsettled_bytes) {
        ++counters_.refused_blocks;
        return port_.engine().block_refused(block.session, now);
    }
    received_.first_transfer = next_number_;
    if (!split(block)) ++counters_.malformed_blocks;
    const auto count = static_cast<std::uint32_t>(received_.bundles.size());
    // A block without a bundle is of no use to anybody, and its sender is not to send it again.
    if (count == 0) return port_.engine().block_safe(block.session, now);
    next_number_ += count;
    unsettled_bytes_ += block.size;
    transfers_.push_back({block.session, block.size, next_number_, count, false});
    resources_.host.on_bundles(link_, upstream_, received_);
    received_.clear();
}

// False when the block does not consist of whole bundles; those before the fault are taken.
bool LtpReceiver::split(const ReceivedBlock &block) {
    ChainCursor cursor(block.slices);
    while (!cursor.done()) {
        // CCSDS 734.1-B-1: each bundle of an aggregate stands behind its own client service.
        if (block.service == kAggregationService && cursor.sdnv() != kBundleService) return false;
        const std::uint64_t begin = cursor.position();
        if (!skip_bundle(cursor)) {
            // What stands alone is handed on as it is: whether it is a bundle, ingress judges.
            if (block.service == kBundleService && begin == 0) add_bundle(block, 0, block.size);
            return false;
        }
        add_bundle(block, begin, cursor.position());
    }
    return true;
}

void LtpReceiver::add_bundle(const ReceivedBlock &block, std::uint64_t begin, std::uint64_t end) {
    ReceivedBundle bundle;
    bundle.size = end - begin;
    bundle.first_slice = static_cast<std::uint32_t>(received_.slices.size());
    bundle.first_slab = static_cast<std::uint32_t>(received_.slabs.size());
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < block.slices.size() && at < end; ++i) {
        const ByteView slice = block.slices[i];
        const std::uint64_t from = std::max(begin, at);
        const std::uint64_t to = std::min<std::uint64_t>(end, at + slice.size());
        if (from < to) {
            received_.slices.push_back(slice.subspan(static_cast<std::size_t>(from - at),
                                                     static_cast<std::size_t>(to - from)));
            received_.slabs.push_back(block.slabs[i]);
        }
        at += slice.size();
    }
    bundle.slice_count =
        static_cast<std::uint32_t>(received_.slices.size()) - bundle.first_slice;
    bundle.slab_count = static_cast<std::uint32_t>(received_.slabs.size()) - bundle.first_slab;
    received_.bundles.push_back(bundle);
}

LtpReceiver::Transfer *LtpReceiver::transfer_of(std::uint64_t number) {
    std::size_t low = 0;
    std::size_t high = transfers_.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (transfers_[middle].end > number)
            high = middle;
        else
            low = middle + 1;
    }
    return low < transfers_.size() ? &transfers_[low] : nullptr;
}

void LtpReceiver::settle(std::uint64_t first, std::uint32_t count, Settlement settlement) {
    for (std::uint64_t number = first; number < first + count; ++number) {
        Transfer *const transfer = transfer_of(number);
        if (transfer == nullptr || transfer->open == 0) continue;
        if (settlement == Settlement::kNoResources) transfer->refused = true;
        if (--transfer->open == 0) finish(*transfer);
    }
    while (!transfers_.empty() && transfers_.front().open == 0)
        unsettled_bytes_ -= transfers_.pop_front().bytes;
}

void LtpReceiver::finish(const Transfer &transfer) {
    // A block of which one bundle found no room comes again as a whole; the rest are duplicates
    // then.
    if (transfer.refused) return port_.engine().block_refused(transfer.session, monotonic_now());
    port_.engine().block_safe(transfer.session, monotonic_now());
}

}  // namespace farlink::cla::ltp
