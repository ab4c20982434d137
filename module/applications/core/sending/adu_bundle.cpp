// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/sending/adu_bundle.hpp"

#include <algorithm>

#include "common/base/copy_octets.hpp"
#include "common/base/invariant.hpp"
#include "common/bp/base/bundle_view.hpp"

namespace farlink::applications {
namespace {

using namespace bp::v7;

/// A payload of at most this size that is all there is copied: one slice costs less than three.
constexpr std::size_t kCopiedPayload = 4096;
/// The CRC and the break of the bundle.
constexpr std::size_t kLongestTail = 1 + 4 + 1;
/// The head of a short byte string, without its length.
constexpr std::uint8_t kByteString = 0x40;

}  // namespace

HeadMemory::Piece HeadMemory::take(std::size_t size) {
    if (size > pool_.slab_bytes()) {
        SlabRef own = pool_.acquire_sized(static_cast<std::uint32_t>(size));
        if (!own) return {};
        std::uint8_t *const data = own->data;
        return {std::move(own), {data, size}};
    }
    if (!slab_ || slab_->capacity - used_ < size) {
        slab_ = pool_.acquire();
        used_ = 0;
        if (!slab_) return {};
    }
    const MutableBytes octets{slab_->data + used_, size};
    used_ += size;
    return {slab_, octets};
}

void AduBundle::begin(const AduFields &fields) {
    FARLINK_INVARIANT(!under_way_);
    has_break_ = fields.version != bp::kBpVersion6;
    crc_type_ = has_break_ ? fields.crc_type : CrcType::kNone;
    whole_ = fields.whole;
    const std::size_t payload_block = write_head(fields, head_);
    crc_ = BlockCrc(crc_type_);
    crc_.add(ByteView(head_).subspan(payload_block));
    left_ = fields.payload_bytes;
    under_way_ = true;
    closed_ = false;
}

bool AduBundle::add(const SlabRef &slab, ByteView octets, HeadMemory &memory, std::uint64_t above,
                    ReceivedBundles &out) {
    FARLINK_INVARIANT(under_way_ && octets.size() <= left_);
    crc_.add(octets);
    left_ -= octets.size();
    const bool begins = pieces_.empty() && !pieces_.in_pieces();
    if (left_ == 0 && begins && octets.size() <= kCopiedPayload) return add_copy(octets, memory);
    if (begins) {
        const HeadMemory::Piece piece = memory.take(head_.size());
        if (!piece.slab) return false;
        copy_octets(head_, piece.octets.data());
        pieces_.add(piece.slab, piece.octets);
    }
    if (whole_)
        pieces_.add(slab, octets);
    else
        pieces_.add(slab, octets, above, out);
    return true;
}

bool AduBundle::add_copy(ByteView octets, HeadMemory &memory) {
    const HeadMemory::Piece piece = memory.take(head_.size() + octets.size() + kLongestTail);
    if (!piece.slab) return false;
    std::uint8_t *to = copy_octets(head_, piece.octets.data());
    to = copy_octets(octets, to);
    const std::size_t size = head_.size() + octets.size() + write_tail(to);
    pieces_.add(piece.slab, piece.octets.first(size));
    closed_ = true;
    return true;
}

// The CRC covers its own head, and counts its octets as zeros (RFC 9171 section 4.2.1).
std::size_t AduBundle::write_tail(std::uint8_t *to) {
    std::uint8_t *const begin = to;
    if (crc_type_ != CrcType::kNone) {
        *to = static_cast<std::uint8_t>(kByteString | crc_size(crc_type_));
        crc_.add({to, 1});
        ++to;
        const std::uint32_t crc = crc_.finish(false);
        if (crc_type_ == CrcType::kCrc32c)
            store_be(to, crc);
        else
            store_be(to, static_cast<std::uint16_t>(crc));
        to += crc_size(crc_type_);
    }
    if (has_break_) *to++ = codec::kCborBreak;
    return static_cast<std::size_t>(to - begin);
}

bool AduBundle::finish(ReceivedBundles &out, HeadMemory &memory) {
    FARLINK_INVARIANT(under_way_ && left_ == 0);
    // An empty payload has not come yet.
    if (pieces_.empty() && !add_copy({}, memory)) return false;
    if (!closed_ && has_break_) {
        const HeadMemory::Piece piece = memory.take(kLongestTail);
        if (!piece.slab) return false;
        pieces_.add(piece.slab, piece.octets.first(write_tail(piece.octets.data())));
    }
    pieces_.emit(out);
    abandon();
    return true;
}

void AduBundle::abandon(ReceivedBundles &out) {
    pieces_.break_off(out);
    abandon();
}

void AduBundle::abandon() {
    pieces_.clear();
    under_way_ = false;
    left_ = 0;
}

}  // namespace farlink::applications
