// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/adu.hpp"

#include <array>

namespace farlink::bptunnel {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::array<std::uint8_t, 3> kMark{'F', 'T', kVersion};
constexpr std::size_t kMessageHeadBytes = 5;
constexpr std::size_t kOffsetBytes = 8;
constexpr std::size_t kSizeBytes = 4;

template <class Integer>
void append_be(Bytes &to, Integer value) {
    std::array<std::uint8_t, sizeof value> octets{};
    store_be(octets.data(), value);
    append(to, octets);
}

/// Behind type and stream; 0: there is no such type.
std::size_t fixed_bytes(MessageType type) {
    switch (type) {
        case MessageType::kOpen:
        case MessageType::kEnd:
        case MessageType::kCredit:
            return kOffsetBytes;
        case MessageType::kData:
            return kOffsetBytes + kSizeBytes;
        case MessageType::kReset:
            return 1;
    }
    return 0;
}

}  // namespace

void write_head(const Head &head, std::uint8_t *to) {
    std::memcpy(to, kMark.data(), kMark.size());
    to[3] = static_cast<std::uint8_t>(head.kind);
    store_be(to + 4, head.from);
    store_be(to + 12, head.to);
    store_be(to + 20, head.number);
}

std::optional<Head> read_head(ByteView adu) {
    if (adu.size() < kHeadBytes || std::memcmp(adu.data(), kMark.data(), kMark.size()) != 0)
        return std::nullopt;
    if (adu[3] > static_cast<std::uint8_t>(Kind::kStreams)) return std::nullopt;
    return Head{static_cast<Kind>(adu[3]), load_be<std::uint64_t>(adu.data() + 4),
                load_be<std::uint64_t>(adu.data() + 12), load_be<std::uint64_t>(adu.data() + 20)};
}

void append_datagram(Bytes &to, const Datagram &datagram) {
    append_be(to, datagram.flow);
    append_be(to, static_cast<std::uint16_t>(datagram.octets.size()));
    append(to, datagram.octets);
}

std::optional<Datagram> DatagramReader::next() {
    if (left_.empty() || failed_) return std::nullopt;
    failed_ = left_.size() < kDatagramHeadBytes;
    if (failed_) return std::nullopt;
    const auto flow = load_be<std::uint32_t>(left_.data());
    const std::size_t size = load_be<std::uint16_t>(left_.data() + 4);
    left_ = left_.subspan(kDatagramHeadBytes);
    failed_ = left_.size() < size;
    if (failed_) return std::nullopt;
    const Datagram datagram{flow, left_.first(size)};
    left_ = left_.subspan(size);
    return datagram;
}

void append_message(Bytes &to, const Message &message) {
    to.push_back(static_cast<std::uint8_t>(message.type));
    append_be(to, message.stream);
    if (message.type == MessageType::kReset) {
        to.push_back(static_cast<std::uint8_t>(message.reason));
        return;
    }
    append_be(to, message.offset);
    if (message.type != MessageType::kData) return;
    append_be(to, static_cast<std::uint32_t>(message.octets.size()));
    append(to, message.octets);
}

std::optional<Message> MessageReader::fault() {
    failed_ = true;
    return std::nullopt;
}

std::optional<Message> MessageReader::next() {
    if (left_.empty() || failed_) return std::nullopt;
    if (left_.size() < kMessageHeadBytes) return fault();
    Message message;
    message.type = static_cast<MessageType>(left_[0]);
    message.stream = load_be<std::uint32_t>(left_.data() + 1);
    left_ = left_.subspan(kMessageHeadBytes);
    const std::size_t fixed = fixed_bytes(message.type);
    if (fixed == 0 || left_.size() < fixed) return fault();
    if (message.type == MessageType::kReset)
        message.reason = static_cast<ResetReason>(left_[0]);
    else
        message.offset = load_be<std::uint64_t>(left_.data());
    const std::size_t size = message.type == MessageType::kData
                                 ? load_be<std::uint32_t>(left_.data() + kOffsetBytes)
                                 : 0;
    left_ = left_.subspan(fixed);
    if (left_.size() < size) return fault();
    message.octets = left_.first(size);
    left_ = left_.subspan(size);
    return message;
}

}  // namespace farlink::bptunnel
