// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/protocol/protobuf.hpp"

#include <algorithm>

namespace farlink::applications {
namespace {

constexpr unsigned kVarintBits = 7;
constexpr std::uint8_t kMore = 0x80;
constexpr unsigned kTypeBits = 3;
constexpr std::uint64_t kLargestField = (1ULL << 29) - 1;

std::uint64_t load_le(ByteView octets) {
    std::uint64_t value = 0;
    for (std::size_t at = octets.size(); at-- > 0;) value = value << 8 | octets[at];
    return value;
}

std::size_t varint_size(std::uint64_t value) {
    std::size_t size = 1;
    for (; value >= kMore; value >>= kVarintBits) ++size;
    return size;
}

}  // namespace

VarintRead read_varint(ByteView octets) {
    if (!octets.empty() && octets[0] < kMore) return {octets[0], 1, false};
    VarintRead read;
    for (std::size_t at = 0; at < std::min(octets.size(), kLongestVarint); ++at) {
        read.value |= static_cast<std::uint64_t>(octets[at] & ~kMore) << (kVarintBits * at);
        if ((octets[at] & kMore) != 0) continue;
        read.size = at + 1;
        read.invalid = read.size == kLongestVarint && octets[at] > 1;
        return read;
    }
    read.invalid = octets.size() >= kLongestVarint;
    return read;
}

std::optional<ProtobufField> ProtobufReader::next() {
    if (failed_ || rest_.empty()) return std::nullopt;
    std::uint64_t key = 0;
    ProtobufField field;
    failed_ = !take_varint(key) || key >> kTypeBits == 0 || key >> kTypeBits > kLargestField;
    field.number = static_cast<std::uint32_t>(key >> kTypeBits);
    field.type = static_cast<WireType>(key & ((1U << kTypeBits) - 1));
    failed_ = failed_ || !take_value(field);
    if (failed_) return std::nullopt;
    return field;
}

bool ProtobufReader::take_value(ProtobufField &field) {
    std::uint64_t size = 0;
    switch (field.type) {
        case WireType::kVarint:
            return take_varint(field.value);
        case WireType::kOctets:
            return take_varint(size) && size <= rest_.size() &&
                   take(static_cast<std::size_t>(size), field.octets);
        case WireType::kFixed64:
            if (!take(sizeof(std::uint64_t), field.octets)) return false;
            break;
        case WireType::kFixed32:
            if (!take(sizeof(std::uint32_t), field.octets)) return false;
            break;
        default:
            return false;
    }
    field.value = load_le(field.octets);
    return true;
}

bool ProtobufReader::take_varint(std::uint64_t &value) {
    const VarintRead read = read_varint(rest_);
    if (read.invalid || read.size == 0) return false;
    value = read.value;
    rest_ = rest_.subspan(read.size);
    return true;
}

bool ProtobufReader::take(std::size_t size, ByteView &octets) {
    if (size > rest_.size()) return false;
    octets = rest_.first(size);
    rest_ = rest_.subspan(size);
    return true;
}

void ProtobufWriter::number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    key(field, WireType::kVarint);
    varint(value);
}

void ProtobufWriter::text(std::uint32_t field, std::string_view value) {
    if (!value.empty()) message(field, as_bytes(value));
}

void ProtobufWriter::message(std::uint32_t field, ByteView octets) {
    key(field, WireType::kOctets);
    varint(octets.size());
    append(to_, octets);
}

std::size_t ProtobufWriter::message_size(std::uint32_t field, std::size_t size) {
    const std::uint64_t key = static_cast<std::uint64_t>(field) << kTypeBits;
    return varint_size(key) + varint_size(size) + size;
}

void ProtobufWriter::varint(std::uint64_t value) {
    if (value < kMore) return to_.push_back(static_cast<std::uint8_t>(value));
    std::uint8_t octets[kLongestVarint];
    std::size_t size = 0;
    for (; value >= kMore; value >>= kVarintBits)
        octets[size++] = static_cast<std::uint8_t>(value) | kMore;
    octets[size++] = static_cast<std::uint8_t>(value);
    to_.insert(to_.end(), octets, octets + size);
}

void ProtobufWriter::key(std::uint32_t field, WireType type) {
    varint(static_cast<std::uint64_t>(field) << kTypeBits | static_cast<std::uint64_t>(type));
}

}  // namespace farlink::applications
