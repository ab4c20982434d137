// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/message.hpp"

#include <algorithm>
#include <array>
#include <concepts>

#include "common/base/copy_octets.hpp"

namespace farlink::cla::tcpclv4 {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic{'d', 't', 'n', '!'};

std::uint8_t *put(std::uint8_t *to, MessageType type) {
    *to = static_cast<std::uint8_t>(type);
    return to + 1;
}

template <std::unsigned_integral Integer>
std::uint8_t *put(std::uint8_t *to, Integer value) {
    store_be(to, value);
    return to + sizeof value;
}

std::uint8_t *put(std::uint8_t *to, ByteView octets) {
    return copy_octets(octets, to);
}

}  // namespace

Result<ContactHeader, DecodeError> decode_contact(ByteView octets) {
    const std::size_t known = std::min(octets.size(), kMagic.size());
    if (!std::equal(kMagic.begin(), kMagic.begin() + known, octets.begin()))
        return fail(DecodeError::kMalformed);
    if (octets.size() > kMagic.size() && octets[4] != kVersion) return ContactHeader{octets[4], 0};
    if (octets.size() < kContactBytes) return fail(DecodeError::kIncomplete);
    return ContactHeader{octets[4], octets[5]};
}

std::size_t session_init_extent(ByteView octets) {
    if (octets.size() < kInitHeadBytes) return kInitHeadBytes;
    const std::size_t node_id_end = kInitHeadBytes + load_be<std::uint16_t>(&octets[19]);
    const std::size_t items = node_id_end + kItemsLengthBytes;
    if (octets.size() < items) return items;
    return items + load_be<std::uint32_t>(&octets[node_id_end]);
}

Result<SessionInit, DecodeError> decode_session_init(ByteView octets) {
    const std::size_t extent = session_init_extent(octets);
    if (extent > kMaxHeadBytes) return fail(DecodeError::kTooLong);
    if (octets.size() < extent) return fail(DecodeError::kIncomplete);
    SessionInit init;
    init.keep_alive_seconds = load_be<std::uint16_t>(&octets[1]);
    init.segment_mru = load_be<std::uint64_t>(&octets[3]);
    init.transfer_mru = load_be<std::uint64_t>(&octets[11]);
    const std::size_t node_id_bytes = load_be<std::uint16_t>(&octets[19]);
    init.node_id = as_text(octets.subspan(kInitHeadBytes, node_id_bytes));
    const std::size_t items = kInitHeadBytes + node_id_bytes + kItemsLengthBytes;
    init.items = octets.subspan(items, extent - items);
    return init;
}

Result<Refuse, DecodeError> decode_refuse(ByteView octets) {
    if (octets.size() < kRefuseBytes) return fail(DecodeError::kIncomplete);
    return Refuse{octets[1], load_be<std::uint64_t>(&octets[2])};
}

Result<Term, DecodeError> decode_term(ByteView octets) {
    if (octets.size() < kTermBytes) return fail(DecodeError::kIncomplete);
    return Term{octets[1], octets[2]};
}

Result<Reject, DecodeError> decode_reject(ByteView octets) {
    if (octets.size() < kRejectBytes) return fail(DecodeError::kIncomplete);
    return Reject{static_cast<RejectReason>(octets[1]), octets[2]};
}

std::optional<ExtensionItem> ItemReader::next() {
    if (left_.empty()) return std::nullopt;
    malformed_ = left_.size() < kItemHeadBytes ||
                 left_.size() - kItemHeadBytes < load_be<std::uint16_t>(&left_[3]);
    if (malformed_) return std::nullopt;
    const std::size_t value_bytes = load_be<std::uint16_t>(&left_[3]);
    const ExtensionItem item{left_[0], load_be<std::uint16_t>(&left_[1]),
                             left_.subspan(kItemHeadBytes, value_bytes)};
    left_ = left_.subspan(kItemHeadBytes + value_bytes);
    return item;
}

std::uint8_t *encode(std::uint8_t *to, const ContactHeader &contact) {
    to = put(to, kMagic);
    to = put(to, contact.version);
    return put(to, contact.flags);
}

std::uint8_t *encode(std::uint8_t *to, const SessionInit &init) {
    to = put(to, MessageType::kSessInit);
    to = put(to, init.keep_alive_seconds);
    to = put(to, init.segment_mru);
    to = put(to, init.transfer_mru);
    to = put(to, static_cast<std::uint16_t>(init.node_id.size()));
    to = put(to, as_bytes(init.node_id));
    to = put(to, static_cast<std::uint32_t>(init.items.size()));
    return put(to, init.items);
}

std::uint8_t *encode(std::uint8_t *to, const Segment &segment) {
    to = put(to, MessageType::kXferSegment);
    to = put(to, segment.flags);
    to = put(to, segment.id);
    if (segment.starts()) {
        to = put(to, static_cast<std::uint32_t>(segment.items.size()));
        to = put(to, segment.items);
    }
    return put(to, segment.data_bytes);
}

std::uint8_t *encode(std::uint8_t *to, const Refuse &refuse) {
    to = put(to, MessageType::kXferRefuse);
    to = put(to, refuse.reason);
    return put(to, refuse.id);
}

std::uint8_t *encode(std::uint8_t *to, const Term &term) {
    to = put(to, MessageType::kSessTerm);
    to = put(to, term.flags);
    return put(to, term.reason);
}

std::uint8_t *encode(std::uint8_t *to, const Reject &reject) {
    to = put(to, MessageType::kMsgReject);
    to = put(to, static_cast<std::uint8_t>(reject.reason));
    return put(to, reject.rejected);
}

std::uint8_t *encode(std::uint8_t *to, const ExtensionItem &item) {
    to = put(to, item.flags);
    to = put(to, item.type);
    to = put(to, static_cast<std::uint16_t>(item.value.size()));
    return put(to, item.value);
}

}  // namespace farlink::cla::tcpclv4
