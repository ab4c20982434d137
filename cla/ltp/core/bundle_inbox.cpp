// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_inbox.hpp"

#include <algorithm>

#include "cla/ltp/core/bundle_extent.hpp"
#include "common/buffer/bundle_piece.hpp"

namespace farlink::cla::ltp {
namespace {

/// Octets [begin, end) of a chain of slices, as an entry of `out`.
void append_bundle(std::span<const ByteView> slices, std::span<const SlabRef> slabs,
                   std::uint64_t begin, std::uint64_t end, ReceivedBundles &out) {
    ReceivedBundle bundle;
    bundle.size = end - begin;
    bundle.first_slice = static_cast<std::uint32_t>(out.slices.size());
    bundle.first_slab = static_cast<std::uint32_t>(out.slabs.size());
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < slices.size() && at < end; ++i) {
        const ByteView slice = slices[i];
        const std::uint64_t from = std::max(begin, at);
        const std::uint64_t to = std::min(end, at + slice.size());
        if (from < to) {
            out.slices.push_back(slice.subspan(static_cast<std::size_t>(from - at),
                                               static_cast<std::size_t>(to - from)));
            out.slabs.push_back(slabs[i]);
            ++bundle.slice_count;
            ++bundle.slab_count;
        }
        at += slice.size();
    }
    out.bundles.push_back(bundle);
}

}  // namespace

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
        append_bundle(block.slices, block.slabs, begin, ends ? reader.position() : block.size, out);
        ++count;
        if (!ends) break;
    }
    if (count == 0) return 0;
    open_.push_back({block.session, next_transfer_, count, count, false, block.size});
    unacknowledged_bytes_ += block.size;
    next_transfer_ += count;
    return count;
}

// ---- large blocks

std::size_t BundleInbox::find(SessionHandle session) const {
    const auto found = std::ranges::find(large_, session, &Large::session);
    return static_cast<std::size_t>(found - large_.begin());
}

std::uint32_t BundleInbox::free_channel() const {
    std::uint32_t channel = 1;
    while (std::ranges::find(large_, channel, &Large::channel) != large_.end()) ++channel;
    return channel;
}

void BundleInbox::begin_large(SessionHandle session) {
    const std::uint32_t channel = free_channel();
    Large &large = large_.emplace_back();
    large.session = session;
    large.channel = channel;
}

bool BundleInbox::take_part(const ReceivedBlock &part, ReceivedBundles &out) {
    if (out.empty()) out.first_transfer = next_transfer_;
    if (part.offset == 0) begin_large(part.session);
    const std::size_t place = find(part.session);
    if (place == large_.size()) return true;  // it was refused
    Large &large = large_[place];
    large.slices.insert(large.slices.end(), part.slices.begin(), part.slices.end());
    large.slabs.insert(large.slabs.end(), part.slabs.begin(), part.slabs.end());
    large.size += part.size;
    if (!large.begun) set_whole_aside(large);
    const bool too_much = !large.begun && large.whole_bytes > most_bytes_;
    if (part.breaks_off() || too_much) {
        if (large.begun) {
            out.bundles.push_back({.more = true, .is_further = true, .channel = large.channel});
            out.has_pieces = true;
        }
        large_.erase(large_.begin() + static_cast<std::ptrdiff_t>(place));
        return !too_much;
    }
    if (!part.more) {
        end_large(large, part.offset + part.size, out);
        large_.erase(large_.begin() + static_cast<std::ptrdiff_t>(place));
        return true;
    }
    // Behind other bundles, the first piece may be so small that it lacks a part of its head.
    const bool has_head = large.begun || large.whole.empty() || large.size >= kPieceBytes;
    if (has_head) append_piece(large, true, out);
    return true;
}

// The small bundles before the large one leave at the end of the block, since the numbers of the
// transfers of a block have no gaps.
void BundleInbox::set_whole_aside(Large &large) const {
    ChainReader reader(large.slices);
    std::uint64_t begin = 0;
    while (begin < large.size && skip_bundle(reader)) {
        append_bundle(large.slices, large.slabs, begin, reader.position(), large.whole);
        begin = reader.position();
    }
    if (begin == 0) return;
    ReceivedBundles rest;
    append_bundle(large.slices, large.slabs, begin, large.size, rest);
    large.slices = std::move(rest.slices);
    large.slabs = std::move(rest.slabs);
    large.size -= begin;
    large.whole_bytes += begin;
}

void BundleInbox::append_piece(Large &large, bool more, ReceivedBundles &out) const {
    append_bundle(large.slices, large.slabs, 0, large.size, out);
    ReceivedBundle &piece = out.bundles.back();
    piece.more = more;
    piece.is_further = large.begun;
    if (piece.is_piece()) piece.channel = large.channel;
    out.has_pieces |= piece.is_piece();
    large.slices.clear();
    large.slabs.clear();
    large.size = 0;
    large.begun = true;
}

// Octets without the end of a bundle count as one, as in take().
void BundleInbox::end_large(Large &large, std::uint64_t block_bytes, ReceivedBundles &out) {
    for (const ReceivedBundle &bundle : large.whole.bundles)
        append_bundle(large.whole.slices_of(bundle), large.whole.slabs_of(bundle), 0, bundle.size,
                      out);
    auto count = static_cast<std::uint32_t>(large.whole.bundles.size());
    const bool in_pieces = large.begun;
    if (large.size > 0) {
        append_piece(large, false, out);
        ++count;
    }
    // What has left in pieces does not wait in memory to be acknowledged.
    const std::uint64_t bytes = in_pieces ? 0 : block_bytes;
    open_.push_back({large.session, next_transfer_, count, count, false, bytes});
    unacknowledged_bytes_ += bytes;
    next_transfer_ += count;
}

}  // namespace farlink::cla::ltp
