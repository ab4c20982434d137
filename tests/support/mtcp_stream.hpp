// SPDX-License-Identifier: Apache-2.0
// MTCP frames as octets, made without the code under test.
// Plain functions for tests.
// Any thread.
#pragma once

#include "common/base/bytes.hpp"

namespace farlink::test {

/// Octets of the shortest length field behind the first octet of a frame.
inline std::size_t mtcp_width(std::size_t size) {
    if (size < 24) return 0;
    if (size < 0x100) return 1;
    return size < 0x10000 ? 2 : 4;
}

/// A frame with this bundle, its length written in `width` octets (0, 1, 2, 4 or 8).
inline void append_mtcp_frame(Bytes &stream, ByteView bundle, std::size_t width) {
    constexpr std::uint8_t kInitial[] = {0, 0x58, 0x59, 0, 0x5a, 0, 0, 0, 0x5b};
    const std::uint64_t size = bundle.size();
    stream.push_back(width == 0 ? static_cast<std::uint8_t>(0x40 + size) : kInitial[width]);
    for (std::size_t left = width; left > 0; --left)
        stream.push_back(static_cast<std::uint8_t>(size >> 8 * (left - 1)));
    append(stream, bundle);
}

inline void append_mtcp_frame(Bytes &stream, ByteView bundle) {
    append_mtcp_frame(stream, bundle, mtcp_width(bundle.size()));
}

}  // namespace farlink::test
