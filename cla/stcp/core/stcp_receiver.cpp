// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/core/stcp_receiver.hpp"

#include <algorithm>

namespace farlink::cla::stcp {

MutableBytes StcpReceiver::prepare(ReadBuffer &buffer) {
    // What is carried over holds no slab, so only a chain may have to be finished.
    const MutableBytes space =
        buffer.space(std::max(kLeastRead, carried_ + 1), chain_.empty() ? kNoUpstream : session_);
    if (space.empty()) return {};
    std::memcpy(space.data(), carry_.data(), carried_);
    return space.subspan(carried_);
}

StcpFault StcpReceiver::handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out) {
    const SlabRef &slab = buffer.slab();
    ByteView fresh = buffer.unused().first(carried_ + size);
    buffer.commit(fresh.size());
    carried_ = 0;
    if (!chain_.empty()) fresh = extend_chain(fresh, buffer, out);

    while (fresh.size() >= kLengthBytes) {
        const auto length = load_be<std::uint32_t>(fresh.data());
        if (length == 0) {
            ++keep_alives_;
            fresh = fresh.subspan(kLengthBytes);
            continue;
        }
        if (length > max_bundle_bytes_) return StcpFault::kFrameTooLarge;
        if (fresh.size() - kLengthBytes < length) break;
        out.add(slab, fresh.subspan(kLengthBytes, length));
        fresh = fresh.subspan(kLengthBytes + length);
    }
    if (fresh.size() <= kCarryBytes) {
        carried_ = static_cast<std::uint32_t>(fresh.size());
        std::copy(fresh.begin(), fresh.end(), carry_.begin());
    } else {
        missing_ = load_be<std::uint32_t>(fresh.data()) - (fresh.size() - kLengthBytes);
        chain_.push_back({slab, fresh.subspan(kLengthBytes)});
    }
    return StcpFault::kNone;
}

ByteView StcpReceiver::extend_chain(ByteView fresh, ReadBuffer &buffer, ReceivedBundles &out) {
    const SlabRef &slab = buffer.slab();
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, fresh.size()));
    Piece &last = chain_.back();
    const bool adjacent =
        last.slab == slab && last.octets.data() + last.octets.size() == fresh.data();
    if (adjacent)
        last.octets = {last.octets.data(), last.octets.size() + taken};
    else if (taken > 0)
        chain_.push_back({slab, fresh.first(taken)});
    missing_ -= taken;
    if (missing_ == 0) emit_chain(buffer, out);
    return fresh.subspan(taken);
}

void StcpReceiver::emit_chain(ReadBuffer &buffer, ReceivedBundles &out) {
    buffer.finished(session_);
    ReceivedBundle bundle;
    bundle.first_slice = static_cast<std::uint32_t>(out.slices.size());
    bundle.slice_count = static_cast<std::uint32_t>(chain_.size());
    bundle.first_slab = static_cast<std::uint32_t>(out.slabs.size());
    bundle.slab_count = bundle.slice_count;
    for (Piece &piece : chain_) {
        bundle.size += piece.octets.size();
        out.slices.push_back(piece.octets);
        out.slabs.push_back(std::move(piece.slab));
    }
    out.bundles.push_back(bundle);
    chain_.clear();
}

bool StcpReceiver::settle(SlabPool &pool) {
    std::size_t end = chain_.size();
    while (end > 0) {
        std::size_t begin = end;
        std::size_t bytes = 0;
        while (begin > 0 && joins(chain_[begin - 1], bytes, pool))
            bytes += chain_[--begin].octets.size();
        if (begin < end && !merge(begin, end, bytes, pool)) return false;
        end = begin < end ? begin : end - 1;
    }
    return true;
}

// A small piece of a shared slab is copied out of it. One that was copied before is copied again
// only together with at least as much that follows it, so that a peer that sends octet by octet
// makes neither many pieces nor many copies.
bool StcpReceiver::joins(const Piece &piece, std::size_t following, const SlabPool &pool) {
    const std::size_t size = piece.octets.size();
    if (size + following > pool.slab_bytes()) return false;
    return piece.slab->pooled ? size <= piece.slab->capacity / 2 : size <= following;
}

bool StcpReceiver::merge(std::size_t begin, std::size_t end, std::size_t bytes, SlabPool &pool) {
    SlabRef own = pool.acquire_sized(static_cast<std::uint32_t>(bytes));
    if (!own) return false;
    std::uint8_t *to = own->data;
    for (std::size_t i = begin; i < end; ++i)
        to = std::copy(chain_[i].octets.begin(), chain_[i].octets.end(), to);
    chain_[begin] = {own, {own->data, bytes}};
    const auto first = chain_.begin() + static_cast<std::ptrdiff_t>(begin);
    chain_.erase(first + 1, first + static_cast<std::ptrdiff_t>(end - begin));
    return true;
}

}  // namespace farlink::cla::stcp
