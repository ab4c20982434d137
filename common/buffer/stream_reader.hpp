// SPDX-License-Identifier: Apache-2.0
// Reads a stream through the loop's slab: the space to read into, and the received octets in one
// piece.
// Owned by one connection's receiving core; one thread.
// The core returns octets that it cannot use yet (the beginning of a message); they are copied to
// the front of the next read, so a message's head is contiguous and occupies no slab in between.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"
#include "common/buffer/read_buffer.hpp"

namespace farlink {

class StreamReader {
public:
    /// Longest beginning of a message that may be returned.
    static constexpr std::size_t kCarryBytes = 2048;

    /// The space to read into, behind the returned octets. Empty: there is no memory now.
    /// `inside` names the session when it is in the middle of a bundle (see ReadBuffer).
    [[nodiscard]] MutableBytes prepare(ReadBuffer &buffer, UpstreamId inside) {
        const MutableBytes space = buffer.space(std::max(kLeastRead, carried_ + 1), inside);
        if (space.empty()) return {};
        std::memcpy(space.data(), carry_.data(), carried_);
        return space.subspan(carried_);
    }
    /// `size` octets were read into prepare()'s space: they and the returned octets, in
    /// `buffer.slab()`.
    [[nodiscard]] ByteView take(std::size_t size, ReadBuffer &buffer) {
        const ByteView fresh = buffer.unused().first(carried_ + size);
        buffer.commit(fresh.size());
        carried_ = 0;
        return fresh;
    }
    void hand_back(ByteView rest) {
        FARLINK_INVARIANT(rest.size() <= kCarryBytes);
        carried_ = static_cast<std::uint32_t>(rest.size());
        std::copy(rest.begin(), rest.end(), carry_.begin());
    }
    [[nodiscard]] ByteView handed_back() const { return {carry_.data(), carried_}; }
    void clear() { carried_ = 0; }

private:
    static constexpr std::uint32_t kLeastRead = 16 * 1024;

    std::uint32_t carried_ = 0;  ///< octets in carry_
    std::array<std::uint8_t, kCarryBytes> carry_{};
};

}  // namespace farlink
