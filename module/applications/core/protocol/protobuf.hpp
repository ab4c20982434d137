// SPDX-License-Identifier: Apache-2.0
// The encoding of Protocol Buffers: fields of a message in wire format, read in place and appended.
// Readers borrow the octets of a message, writers the octets that they append to.
// Any thread; a reader or writer belongs to the function that made it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::applications {

/// The wire types; the group types of old versions are not read.
enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kOctets = 2, kFixed32 = 5 };

inline constexpr std::size_t kLongestVarint = 10;

/// What the beginning of a stream is as a varint.
struct VarintRead {
    std::uint64_t value = 0;
    std::size_t size = 0;  ///< octets; 0: more are needed, unless it is invalid
    bool invalid = false;  ///< longer than a 64-bit number can be
};
[[nodiscard]] VarintRead read_long_varint(ByteView octets);
[[nodiscard]] inline VarintRead read_varint(ByteView octets) {
    if (!octets.empty() && octets[0] < 0x80) return {octets[0], 1, false};
    return read_long_varint(octets);
}

struct ProtobufField {
    std::uint32_t number = 0;
    WireType type = WireType::kVarint;
    std::uint64_t value = 0;  ///< of a varint or a fixed number
    ByteView octets;          ///< of kOctets

    [[nodiscard]] std::string_view text() const { return as_text(octets); }
};

class ProtobufReader {
public:
    explicit ProtobufReader(ByteView message) : rest_(message) {}

    /// The next field; empty at the end of the message, and where it is not well formed.
    [[nodiscard]] std::optional<ProtobufField> next() {
        std::optional<ProtobufField> field;
        if (rest_.empty() || failed_) return field;
        std::uint64_t key = 0;
        failed_ = !take_varint(key) || key < kSmallestKey || key > kLargestKey;
        field.emplace();
        field->number = static_cast<std::uint32_t>(key / kWireTypes);
        field->type = static_cast<WireType>(key % kWireTypes);
        failed_ = failed_ || !take_value(*field);
        if (failed_) field.reset();
        return field;
    }
    [[nodiscard]] bool failed() const { return failed_; }

private:
    static constexpr std::uint64_t kWireTypes = 8;
    static constexpr std::uint64_t kSmallestKey = kWireTypes;  ///< of field 1
    static constexpr std::uint64_t kLargestKey = (1ULL << 32) - 1;

    [[nodiscard]] bool take_varint(std::uint64_t &value) {
        const VarintRead read = read_varint(rest_);
        value = read.value;
        rest_ = rest_.subspan(read.size);
        return read.size > 0 && !read.invalid;
    }
    [[nodiscard]] bool take(std::uint64_t size, ByteView &octets) {
        if (size > rest_.size()) return false;
        octets = rest_.first(static_cast<std::size_t>(size));
        rest_ = rest_.subspan(octets.size());
        return true;
    }
    [[nodiscard]] bool take_value(ProtobufField &field) {
        if (field.type == WireType::kVarint) return take_varint(field.value);
        std::uint64_t size = 0;
        if (field.type == WireType::kOctets) return take_varint(size) && take(size, field.octets);
        return take_fixed(field);
    }
    [[nodiscard]] bool take_fixed(ProtobufField &field);

    ByteView rest_;
    bool failed_ = false;
};

/// Appends fields. As proto3 has it, numbers and texts of no value are left out.
class ProtobufWriter {
public:
    explicit ProtobufWriter(Bytes &to) : to_(to) {}

    void number(std::uint32_t field, std::uint64_t value);
    void text(std::uint32_t field, std::string_view value);
    /// The octets of a message of `size` octets as a field.
    [[nodiscard]] static std::size_t message_size(std::uint32_t field, std::size_t size);
    /// Present even when it is empty.
    void message(std::uint32_t field, ByteView octets);
    void varint(std::uint64_t value);

private:
    Bytes &to_;
};

}  // namespace farlink::applications
