// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/sending/adu_bundle.hpp"

#include <algorithm>

#include "common/base/copy_octets.hpp"
#include "common/base/invariant.hpp"

namespace farlink::applications {
namespace {

using namespace bp::v7;

/// A payload of at most this size that is all there is copied: one slice costs less than three.
constexpr std::size_t kCopiedPayload = 4096;
/// The CRC and the break of the bundle.
constexpr std::size_t kLongestTail = 1 + 4 + 1;
constexpr std::uint8_t kFiveItems = 0x85;
constexpr std::uint8_t kSixItems = 0x86;
/// The head of a short byte string, without its length.
constexpr std::uint8_t kByteString = 0x40;

/// Appends the hop count block.
void add_hop_count(Bytes &to, std::uint8_t limit, std::uint64_t number, CrcType crc) {
    std::uint8_t data[1 + 2 * codec::kMaxCborHeadBytes] = {0x82};
    std::uint8_t *const end = codec::write_cbor_uint(codec::write_cbor_uint(data + 1, limit), 0);
    const std::size_t begin = to.size();
    to.resize(begin + kBlockOverhead + sizeof data);
    const std::uint8_t *const behind =
        write_block(&to[begin], kHopCountBlock, number, 0, crc, {data, end});
    to.resize(static_cast<std::size_t>(behind - to.data()));
}

/// RFC 9171 section 4.4.2: without a clock the bundle must have a bundle age block.
void add_age(Bytes &to, std::uint64_t number, CrcType crc) {
    std::uint8_t data[codec::kMaxCborHeadBytes];
    std::uint8_t *const end = codec::write_cbor_uint(data, 0);
    const std::size_t begin = to.size();
    to.resize(begin + kBlockOverhead + sizeof data);
    const std::uint8_t *const behind =
        write_block(&to[begin], kBundleAgeBlock, number, kReplicateBlock, crc, {data, end});
    to.resize(static_cast<std::size_t>(behind - to.data()));
}

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
    crc_type_ = fields.crc_type;
    whole_ = fields.whole;
    head_.resize(1 + primary_bound(fields.primary));
    head_[0] = codec::kCborIndefiniteArray;
    head_.resize(1 + encode_primary(fields.primary, MutableBytes(head_).subspan(1)));
    std::uint64_t number = 2;
    if (fields.primary.creation_time_ms == 0) add_age(head_, number++, crc_type_);
    if (fields.hop_limit > 0) add_hop_count(head_, fields.hop_limit, number, crc_type_);
    const std::size_t payload_block = head_.size();
    head_.push_back(crc_type_ == CrcType::kNone ? kFiveItems : kSixItems);
    for (const auto item : {kPayloadBlock, std::uint64_t{1}, std::uint64_t{0}})
        head_.push_back(static_cast<std::uint8_t>(item));
    head_.push_back(static_cast<std::uint8_t>(crc_type_));
    codec::append_cbor_head(head_, codec::CborMajor::kBytes, fields.payload_bytes);
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
    *to++ = codec::kCborBreak;
    return static_cast<std::size_t>(to - begin);
}

bool AduBundle::finish(ReceivedBundles &out, HeadMemory &memory) {
    FARLINK_INVARIANT(under_way_ && left_ == 0);
    // An empty payload has not come yet.
    if (pieces_.empty() && !add_copy({}, memory)) return false;
    if (!closed_) {
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
