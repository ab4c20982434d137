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
[[nodiscard]] VarintRead read_varint(ByteView octets);

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
    [[nodiscard]] std::optional<ProtobufField> next();
    [[nodiscard]] bool failed() const { return failed_; }

private:
    [[nodiscard]] bool take_varint(std::uint64_t &value);
    [[nodiscard]] bool take(std::size_t size, ByteView &octets);
    [[nodiscard]] bool take_value(ProtobufField &field);

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
    void key(std::uint32_t field, WireType type);

    Bytes &to_;
};

}  // namespace farlink::applications
