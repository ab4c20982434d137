// SPDX-License-Identifier: Apache-2.0
// The octets of AAP 2.0: Protocol Buffers, each message behind its length. Not installed.
// Plain functions; readers borrow.
// Any thread. Fields from 1000 on are farlink's own; other servers skip them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farlink/client/types.hpp>

namespace farlink::client::wire {

using Buffer = std::vector<std::uint8_t>;

inline constexpr std::uint8_t kGreeting = 0x2f;
/// A longer message is no AAP 2.0.
inline constexpr std::uint64_t kLongestMessage = 1 << 20;
inline constexpr std::uint64_t kSuccess = 1;
inline constexpr std::uint64_t kAck = 2;

/// The fields of AAPMessage.
inline constexpr std::uint32_t kWelcome = 1;
inline constexpr std::uint32_t kConfig = 2;
inline constexpr std::uint32_t kAdu = 3;
inline constexpr std::uint32_t kKeepAlive = 6;

inline constexpr std::size_t kLongestVarint = 10;
[[nodiscard]] inline std::size_t varint_size(std::uint64_t value) {
    std::size_t size = 1;
    for (; value > 0x7f; value >>= 7) ++size;
    return size;
}
inline void append_varint(Buffer &to, std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 0x80));
    to.push_back(static_cast<std::uint8_t>(value));
}
inline void append_number(Buffer &to, std::uint32_t field, std::uint64_t value) {
    append_varint(to, std::uint64_t{field} << 3);
    append_varint(to, value);
}
void append_text(Buffer &to, std::uint32_t field, std::string_view text);
/// An AAPMessage with that content, behind its length.
void append_message(Buffer &to, std::uint32_t field, Octets content);
/// An AAPResponse that answers `count` messages.
void append_response(Buffer &to, std::uint64_t status, std::uint64_t count);

struct Varint {
    std::uint64_t value = 0;
    std::size_t size = 0;  ///< 0: the octets end inside of it
    bool invalid = false;
};
[[nodiscard]] inline Varint read_varint(Octets from) {
    Varint read;
    for (unsigned shift = 0; read.size < from.size(); shift += 7) {
        const std::uint8_t octet = from[read.size++];
        if (shift > 63 || (shift == 63 && octet > 1)) return {0, 0, true};
        read.value |= std::uint64_t{octet & 0x7fU} << shift;
        if (octet < 0x80) return read;
    }
    return {};
}

/// A field: a number or octets. Fields of a fixed size are skipped.
struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    Octets octets{};
    bool has_octets = false;
};
class FieldReader {
public:
    explicit FieldReader(Octets octets) : left_(octets) {}
    [[nodiscard]] std::optional<Field> next();
    [[nodiscard]] bool failed() const { return failed_; }

private:
    Octets left_;
    bool failed_ = false;
};

struct Response {
    std::uint64_t status = 0;
    std::uint64_t count = 1;
    std::string_view reason{};
};
[[nodiscard]] std::optional<Response> read_response(Octets octets);
/// What a status other than success stands for.
[[nodiscard]] Error error_of(const Response &response);

}  // namespace farlink::client::wire
