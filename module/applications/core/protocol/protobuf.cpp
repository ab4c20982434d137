// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/protocol/protobuf.hpp"

#include <algorithm>
#include <bit>

#include "common/base/copy_octets.hpp"

namespace farlink::applications {
namespace {

constexpr unsigned kVarintBits = 7;
constexpr std::uint8_t kMore = 0x80;
constexpr unsigned kTypeBits = 3;

std::uint64_t load_le(ByteView octets) {
    std::uint64_t value = 0;
    for (std::size_t at = octets.size(); at-- > 0;) value = value << 8 | octets[at];
    return value;
}

std::size_t varint_size(std::uint64_t value) {
    return (static_cast<std::size_t>(std::bit_width(value | 1)) + kVarintBits - 1) / kVarintBits;
}

std::uint8_t *write_varint(std::uint8_t *to, std::uint64_t value) {
    for (; value >= kMore; value >>= kVarintBits) *to++ = static_cast<std::uint8_t>(value) | kMore;
    *to++ = static_cast<std::uint8_t>(value);
    return to;
}

constexpr std::uint64_t key_of(std::uint32_t field, WireType type) {
    return static_cast<std::uint64_t>(field) << kTypeBits | static_cast<std::uint64_t>(type);
}

/// Room for `size` octets at the end of `to`.
std::uint8_t *grow(Bytes &to, std::size_t size) {
    const std::size_t begin = to.size();
    to.resize(begin + size);
    return to.data() + begin;
}

}  // namespace

VarintRead read_long_varint(ByteView octets) {
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

bool ProtobufReader::take_fixed(ProtobufField &field) {
    const bool known = field.type == WireType::kFixed64 || field.type == WireType::kFixed32;
    const bool large = field.type == WireType::kFixed64;
    if (!known || !take(large ? sizeof(std::uint64_t) : sizeof(std::uint32_t), field.octets))
        return false;
    field.value = load_le(field.octets);
    return true;
}

// Each field is one growth of the buffer.
void ProtobufWriter::number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    const std::uint64_t key = key_of(field, WireType::kVarint);
    std::uint8_t *const to = grow(to_, varint_size(key) + varint_size(value));
    write_varint(write_varint(to, key), value);
}

void ProtobufWriter::text(std::uint32_t field, std::string_view value) {
    if (!value.empty()) message(field, as_bytes(value));
}

void ProtobufWriter::message(std::uint32_t field, ByteView octets) {
    const std::uint64_t key = key_of(field, WireType::kOctets);
    std::uint8_t *const to = grow(to_, message_size(field, octets.size()));
    copy_octets(octets, write_varint(write_varint(to, key), octets.size()));
}

std::size_t ProtobufWriter::message_size(std::uint32_t field, std::size_t size) {
    return varint_size(key_of(field, WireType::kOctets)) + varint_size(size) + size;
}

void ProtobufWriter::varint(std::uint64_t value) {
    write_varint(grow(to_, varint_size(value)), value);
}

}  // namespace farlink::applications
