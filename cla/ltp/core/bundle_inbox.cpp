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

/// Calls `each(begin, end)` for the bundles of a block, in order. False: octets of an aggregate
/// belong to no bundle.
template <class Each>
[[nodiscard]] bool for_each_bundle(std::uint64_t service, std::span<const ByteView> slices,
                                   std::uint64_t size, Each each) {
    const bool aggregate = service == kAggregationService;
    ChainReader reader(slices);
    while (reader.position() < size) {
        std::uint64_t client = kBundleService;
        if (aggregate && (!reader.sdnv(client) || client != kBundleService)) return false;
        const std::uint64_t begin = reader.position();
        if (begin == size) break;
        const bool ends = skip_bundle(reader);
        each(begin, ends ? reader.position() : size);
        if (!ends) break;
    }
    return true;
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
    std::uint32_t count = 0;
    const bool cut = for_each_bundle(block.service, block.slices, block.size,
                                     [&](std::uint64_t begin, std::uint64_t end) {
                                         append_bundle(block.slices, block.slabs, begin, end, out);
                                         ++count;
                                     });
    if (!cut) ++broken_aggregates_;
    if (count == 0) return 0;
    std::unique_ptr<KeptBlock> kept;
    if (count > 1) {
        kept = waiting_.acquire(block.session, block.service, block.size);
        kept->append(block.slices, block.slabs);
    }
    add_open(block.session, count, block.size, std::move(kept));
    return count;
}

void BundleInbox::add_open(SessionHandle session, std::uint32_t count, std::uint64_t bytes,
                           std::unique_ptr<KeptBlock> kept) {
    Open block;
    block.session = session;
    block.first = next_transfer_;
    block.count = block.left = count;
    block.bytes = bytes;
    block.kept = std::move(kept);
    open_.push_back(std::move(block));
    unacknowledged_bytes_ += bytes;
    next_transfer_ += count;
}

// ---- bundles without room

void BundleInbox::refuse(Open &block, std::uint32_t begin, std::uint32_t end) {
    block.refused = true;
    KeptBlock *const kept = block.kept.get();
    if (kept == nullptr || kept->follows) return;
    for (; begin < end; ++begin)
        kept->refused.push_back(kept->places.empty() ? begin : kept->places[begin]);
}

// All bundles offered have a disposition: the block is safe, or refused, or it waits.
std::optional<bool> BundleInbox::conclude(Open &block, TimePoint now) {
    if (block.kept == nullptr) return !block.refused;
    std::unique_ptr<KeptBlock> kept = std::move(block.kept);
    kept->taken = kept->taken || block.taken;
    const bool waits = kept->follows ? !block.refused : block.refused && kept->taken;
    if (!waits) {
        waiting_.release(std::move(kept));
        return !block.refused;
    }
    block.bytes = 0;  // they stay unacknowledged
    if (kept->follows)
        waiting_.wait_for_turn(std::move(kept), now);
    else
        waiting_.wait(std::move(kept), block.taken, now);
    return std::nullopt;
}

void BundleInbox::take_again(std::unique_ptr<KeptBlock> block, ReceivedBundles &out) {
    if (out.empty()) out.first_transfer = next_transfer_;
    const std::vector<std::uint32_t> &places = block->places;
    std::uint32_t place = 0;
    std::uint32_t count = 0;
    // What follows the last bundle of a broken aggregate was counted when it arrived.
    static_cast<void>(for_each_bundle(
        block->service, block->slices, block->size, [&](std::uint64_t begin, std::uint64_t end) {
            const bool offered =
                places.empty() || (count < places.size() && places[count] == place);
            ++place;
            if (!offered) return;
            append_bundle(block->slices, block->slabs, begin, end, out);
            ++count;
        }));
    unacknowledged_bytes_ -= block->size;  // they are counted again
    const SessionHandle session = block->session;
    const std::uint64_t bytes = block->size;
    add_open(session, count, bytes, std::move(block));
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

// The small bundles before the large one leave at the end of the block, or later: its transfers
// have no gaps in their numbers.
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

// The octets of the block without a bundle in pieces; null: it has one bundle.
std::unique_ptr<KeptBlock> BundleInbox::keep_large(const Large &large) {
    if (large.whole.empty()) return nullptr;
    const std::uint64_t rest = large.begun ? 0 : large.size;
    std::unique_ptr<KeptBlock> kept =
        waiting_.acquire(large.session, kBundleService, large.whole_bytes + rest);
    kept->append(large.whole.slices, large.whole.slabs);
    if (!large.begun) kept->append(large.slices, large.slabs);
    return kept;
}

// Octets without the end of a bundle count as one, as in take().
void BundleInbox::end_large(Large &large, std::uint64_t block_bytes, ReceivedBundles &out) {
    if (large.begun) return end_spooled(large, out);
    std::unique_ptr<KeptBlock> kept = keep_large(large);
    for (const ReceivedBundle &bundle : large.whole.bundles)
        append_bundle(large.whole.slices_of(bundle), large.whole.slabs_of(bundle), 0, bundle.size,
                      out);
    auto count = static_cast<std::uint32_t>(large.whole.bundles.size());
    if (large.size > 0) {
        append_piece(large, false, out);
        ++count;
    }
    add_open(large.session, count, block_bytes, std::move(kept));
}

// A bundle in pieces that finds no room cannot be offered again: the block is cancelled. So the
// bundles before it are offered when it is safe. It does not wait in memory itself.
void BundleInbox::end_spooled(Large &large, ReceivedBundles &out) {
    std::unique_ptr<KeptBlock> kept = keep_large(large);
    if (kept) kept->follows = true;
    const std::uint64_t bytes = kept ? kept->size : 0;
    append_piece(large, false, out);
    add_open(large.session, 1, bytes, std::move(kept));
}

}  // namespace farlink::cla::ltp
