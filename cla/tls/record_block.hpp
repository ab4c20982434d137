// SPDX-License-Identifier: Apache-2.0
// A stretch of TLS records between OpenSSL and a socket.
// Owned by one connection, on its thread; empty it holds no memory.
// The memory is lent by a pool of the thread, so that busy connections allocate nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::cla {

/// Octets on their way in one direction: filled at the end, emptied at the front.
class RecordBlock {
public:
    /// Enough records for few system calls, few enough that they stay in the cache.
    static constexpr std::size_t kBytes = 128 * 1024;

    RecordBlock() = default;
    ~RecordBlock() { release(); }
    RecordBlock(const RecordBlock &) = delete;
    RecordBlock &operator=(const RecordBlock &) = delete;

    [[nodiscard]] ByteView waiting() const;
    /// Where to append; takes a block when there is none yet.
    [[nodiscard]] MutableBytes room();
    [[nodiscard]] std::size_t room_bytes() const { return kBytes - end_; }
    void filled(std::size_t bytes) { end_ += bytes; }
    /// Gives the memory back when nothing is left.
    void emptied(std::size_t bytes);

private:
    using Memory = std::array<std::uint8_t, kBytes>;
    void release();
    [[nodiscard]] static std::vector<std::unique_ptr<Memory>> &spare();

    std::unique_ptr<Memory> memory_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace farlink::cla
