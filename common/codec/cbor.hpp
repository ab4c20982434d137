// SPDX-License-Identifier: Apache-2.0
// CBOR heads (RFC 8949 section 3): the major type and the argument that every item begins with.
// Inline functions and a reader over borrowed octets; nothing is allocated.
// Any thread; a reader belongs to the function that made it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink::codec {

enum class CborMajor : std::uint8_t {
    kUnsigned = 0,
    kNegative = 1,
    kBytes = 2,
    kText = 3,
    kArray = 4,
    kMap = 5,
    kTag = 6,
    kSimple = 7,
};

inline constexpr std::uint8_t kCborIndefiniteArray = 0x9f;
inline constexpr std::uint8_t kCborBreak = 0xff;
inline constexpr std::uint8_t kCborFalse = 0xf4;
inline constexpr std::uint8_t kCborTrue = 0xf5;
/// Octets of the longest head.
inline constexpr std::size_t kMaxCborHeadBytes = 9;

/// Octets of the shortest head with this argument.
[[nodiscard]] constexpr std::size_t cbor_head_size(std::uint64_t argument) {
    if (argument < 24) return 1;
    if (argument <= 0xff) return 2;
    if (argument <= 0xffff) return 3;
    return argument <= 0xffffffff ? 5 : 9;
}

/// Writes the shortest head to `to`, which has room for kMaxCborHeadBytes; returns its end.
inline std::uint8_t *write_cbor_head(std::uint8_t *to, CborMajor major, std::uint64_t argument) {
    const auto type = static_cast<std::uint8_t>(static_cast<unsigned>(major) << 5);
    if (argument < 24) {
        *to = static_cast<std::uint8_t>(type | argument);
        return to + 1;
    }
    if (argument <= 0xff) {
        to[0] = type | 24;
        to[1] = static_cast<std::uint8_t>(argument);
        return to + 2;
    }
    if (argument <= 0xffff) {
        to[0] = type | 25;
        store_be(to + 1, static_cast<std::uint16_t>(argument));
        return to + 3;
    }
    if (argument <= 0xffffffff) {
        to[0] = type | 26;
        store_be(to + 1, static_cast<std::uint32_t>(argument));
        return to + 5;
    }
    to[0] = type | 27;
    store_be(to + 1, argument);
    return to + 9;
}

inline std::uint8_t *write_cbor_uint(std::uint8_t *to, std::uint64_t value) {
    return write_cbor_head(to, CborMajor::kUnsigned, value);
}

inline void append_cbor_head(Bytes &to, CborMajor major, std::uint64_t argument) {
    std::uint8_t head[kMaxCborHeadBytes];
    append(to, {head, static_cast<std::size_t>(write_cbor_head(head, major, argument) - head)});
}

/// Reads items one after the other. Heads that are not the shortest are accepted; a reader that has
/// failed stays at the failed item and returns the reason.
class CborReader {
public:
    enum class Fault : std::uint8_t { kNone, kTruncated, kUnexpected };
    /// The result of array() for an array that ends with a break.
    static constexpr std::uint64_t kIndefinite = ~std::uint64_t{0};

    explicit CborReader(ByteView octets)
        : at_(octets.data()), end_(octets.data() + octets.size()) {}

    [[nodiscard]] const std::uint8_t *at() const { return at_; }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] bool done() const { return at_ == end_; }
    [[nodiscard]] Fault fault() const { return fault_; }

    /// A head of this major type and of definite length.
    [[nodiscard]] bool head(CborMajor major, std::uint64_t &argument) {
        if (at_ == end_) return fail(Fault::kTruncated);
        const unsigned initial = *at_;
        if (initial >> 5 != static_cast<unsigned>(major)) return fail(Fault::kUnexpected);
        argument = initial & 31;
        if (argument < 24) {
            ++at_;
            return true;
        }
        return long_head(argument);
    }
    [[nodiscard]] bool uint(std::uint64_t &value) { return head(CborMajor::kUnsigned, value); }

    /// An array's item count, or kIndefinite.
    [[nodiscard]] bool array(std::uint64_t &count) {
        if (at_ != end_ && *at_ == kCborIndefiniteArray) {
            ++at_;
            count = kIndefinite;
            return true;
        }
        return head(CborMajor::kArray, count) && (count != kIndefinite || fail(Fault::kUnexpected));
    }

    /// The octets of a definite-length byte or text string.
    [[nodiscard]] bool string(CborMajor major, ByteView &octets) {
        const std::uint8_t *const begin = at_;
        std::uint64_t size = 0;
        if (!head(major, size)) return false;
        if (size > left()) {
            at_ = begin;
            return fail(Fault::kTruncated);
        }
        octets = {at_, static_cast<std::size_t>(size)};
        at_ += size;
        return true;
    }

    /// Reads exactly this octet: a break, a simple value, a constant head.
    [[nodiscard]] bool octet(std::uint8_t expected) {
        if (at_ == end_) return fail(Fault::kTruncated);
        if (*at_ != expected) return fail(Fault::kUnexpected);
        ++at_;
        return true;
    }

    /// Skips `size` octets; the caller has checked that they are present.
    void skip(std::size_t size) { at_ += size; }

private:
    bool fail(Fault fault) {
        fault_ = fault;
        return false;
    }

    /// `argument` holds the additional information, 24 to 31 (RFC 8949 section 3).
    bool long_head(std::uint64_t &argument) {
        if (argument > 27) return fail(Fault::kUnexpected);
        const std::size_t width = std::size_t{1} << (argument - 24);
        if (left() <= width) return fail(Fault::kTruncated);
        if (left() >= kMaxCborHeadBytes) {
            argument = load_be<std::uint64_t>(at_ + 1) >> (64 - 8 * width);
        } else {
            argument = 0;
            for (std::size_t i = 1; i <= width; ++i) argument = argument << 8 | at_[i];
        }
        at_ += 1 + width;
        return true;
    }

    const std::uint8_t *at_;
    const std::uint8_t *end_;
    Fault fault_ = Fault::kNone;
};

}  // namespace farlink::codec
