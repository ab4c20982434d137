// SPDX-License-Identifier: Apache-2.0
// STCP frames as octets, made without the code under test.
// Plain functions for tests.
// Any thread.
#pragma once

#include "common/base/bytes.hpp"

namespace farlink::test {

/// A frame with this bundle; an empty one is a keepalive.
inline void append_frame(Bytes &stream, ByteView bundle) {
    const std::size_t size = bundle.size();
    for (const unsigned shift : {24U, 16U, 8U, 0U})
        stream.push_back(static_cast<std::uint8_t>(size >> shift));
    append(stream, bundle);
}

/// The bundles of the whole frames at the start of `stream`, which are removed from it.
inline std::vector<Bytes> take_frames(Bytes &stream) {
    std::vector<Bytes> bundles;
    std::size_t at = 0;
    while (stream.size() - at >= 4) {
        std::size_t size = 0;
        for (std::size_t i = 0; i < 4; ++i) size = size << 8 | stream[at + i];
        if (stream.size() - at - 4 < size) break;
        const ByteView bundle = ByteView(stream).subspan(at + 4, size);
        if (size > 0) bundles.emplace_back(bundle.begin(), bundle.end());
        at += 4 + size;
    }
    stream.erase(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(at));
    return bundles;
}

}  // namespace farlink::test
