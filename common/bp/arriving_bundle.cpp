// SPDX-License-Identifier: Apache-2.0
#include "common/bp/arriving_bundle.hpp"

#include <algorithm>

#include "common/bp/base/slices.hpp"
#include "common/bp/v6/block.hpp"
#include "common/bp/v6/parse.hpp"
#include "common/bp/v7/parse.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp {
namespace {

/// The head of the byte string that a CRC is (RFC 9171 section 4.2.1).
constexpr std::uint64_t kCrcHeadBytes = 1;

/// Octets of a bundle behind its payload: the block's CRC and break, and the bundle's break.
std::uint64_t tail_bytes(const v7::BlockHead &payload) {
    const std::uint64_t crc = v7::crc_size(payload.crc_type);
    return (crc == 0 ? 0 : kCrcHeadBytes + crc) + (payload.indefinite ? 1 : 0) + 1;
}

}  // namespace

Result<BundleView, ParseError> ArrivingBundle::begin(std::span<const ByteView> first) {
    *this = {};
    Result<BundleView, ParseError> result;
    BundleView &view = *result;
    const ByteView head = first.empty() ? ByteView{} : first[0];
    Result<void, ParseError> read;
    std::uint64_t tail = 0;
    if (head.empty()) {
        read = fail(ParseError::kEmpty);
    } else if (head[0] == kBpVersion6) {
        v6::BlockHead payload;
        read = v6::parse_head(head, view, payload);
        if (read && (payload.flags & v6::kLastBlock) == 0) read = fail(ParseError::kTrailingOctets);
    } else if (head[0] == codec::kCborIndefiniteArray) {
        read = v7::parse(first, v7::PayloadCrc::kLater, view);
        codec::CborReader reader(head.subspan(view.head_end));
        if (read) read = v7::read_block_head(reader, payload_.emplace());
        if (read) tail = tail_bytes(*payload_);
    } else {
        read = fail(ParseError::kUnknownVersion);
    }
    if (!read) {
        const bool more = read.error() == ParseError::kTruncated && first.size() > 1;
        return fail(more ? ParseError::kHeadNotContiguous : read.error());
    }
    data_end_ = saturating_add(view.payload_offset, view.payload_length);
    view.size = size_ = saturating_add(data_end_, tail);
    if (size_ == ~std::uint64_t{0}) return fail(ParseError::kTruncated);  // no bundle is so long
    block_begin_ = view.head_end;
    crc_at_ = data_end_ + kCrcHeadBytes;
    if (payload_) crc_ = v7::BlockCrc(payload_->crc_type);
    return result;
}

Result<void, ParseError> ArrivingBundle::add(std::span<const ByteView> piece) {
    for (const ByteView octets : piece) {
        if (octets.size() > size_ - taken_) return fail(ParseError::kTrailingOctets);
        add_octets(octets);
    }
    return {};
}

void ArrivingBundle::add_octets(ByteView octets) {
    const std::uint64_t begin = taken_;
    taken_ += octets.size();
    const auto part = [&](std::uint64_t from, std::uint64_t to) {
        from = std::clamp(from, begin, taken_);
        to = std::clamp(to, from, taken_);
        return octets.subspan(from - begin, to - from);
    };
    if (payload_ && payload_->crc_type != v7::CrcType::kNone) crc_.add(part(block_begin_, crc_at_));
    const ByteView behind = part(data_end_, size_);
    if (behind.empty()) return;
    const std::uint64_t at = std::max(begin, data_end_) - data_end_;
    std::ranges::copy(behind, tail_.begin() + static_cast<std::ptrdiff_t>(at));
}

Result<void, ParseError> ArrivingBundle::finish() {
    if (taken_ < size_) return fail(ParseError::kTruncated);
    if (!payload_) return {};
    codec::CborReader reader(ByteView(tail_).first(size_ - data_end_));
    const std::uint8_t *crc = nullptr;
    const auto end = v7::read_block_end(reader, payload_->crc_type, payload_->indefinite, crc);
    if (!end) return end;
    if (crc != nullptr &&
        crc_.finish(payload_->indefinite) != v7::load_crc(payload_->crc_type, crc))
        return fail(ParseError::kCrcMismatch);
    if (!reader.octet(codec::kCborBreak)) return fail(ParseError::kNoPayload);
    return {};
}

}  // namespace farlink::bp
