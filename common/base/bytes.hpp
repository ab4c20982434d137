// SPDX-License-Identifier: Apache-2.0
// Views of octets and big-endian loads and stores.
// Views borrow: the maker of a view keeps the memory valid.
// Plain functions, any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farlink {

using ByteView = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;
using Bytes = std::vector<std::uint8_t>;

template <class Integer>
[[nodiscard]] inline Integer load_be(const std::uint8_t *from) {
    Integer raw;
    std::memcpy(&raw, from, sizeof raw);
    if constexpr (sizeof(Integer) == 8) return static_cast<Integer>(__builtin_bswap64(raw));
    if constexpr (sizeof(Integer) == 4) return static_cast<Integer>(__builtin_bswap32(raw));
    if constexpr (sizeof(Integer) == 2) return static_cast<Integer>(__builtin_bswap16(raw));
    return raw;
}

template <class Integer>
inline void store_be(std::uint8_t *to, Integer value) {
    if constexpr (sizeof(Integer) == 8) value = static_cast<Integer>(__builtin_bswap64(value));
    if constexpr (sizeof(Integer) == 4) value = static_cast<Integer>(__builtin_bswap32(value));
    if constexpr (sizeof(Integer) == 2) value = static_cast<Integer>(__builtin_bswap16(value));
    std::memcpy(to, &value, sizeof value);
}

[[nodiscard]] inline ByteView as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

[[nodiscard]] inline std::string_view as_text(ByteView bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

inline void append(Bytes &to, ByteView more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace farlink
