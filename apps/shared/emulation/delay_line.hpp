// SPDX-License-Identifier: Apache-2.0
// Holds datagrams, or pieces of a stream, until they are due: hours of an emulated link.
// Owned by a Wire; one thread.
// Pieces in order lie in consecutive blocks, with one copy in and none out; reordered pieces lie
// apart. Memory is allocated in blocks and counted.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"

namespace farlink::emulation {

class DelayLine {
public:
    static constexpr std::size_t kBlockBytes = 1024 * 1024;
    /// Of one piece; a UDP datagram is never longer.
    static constexpr std::size_t kMaxPieceBytes = 65536;

    /// `memory_limit_bytes`: of blocks and of what lies apart, at least one block.
    explicit DelayLine(std::uint64_t memory_limit_bytes) : limit_(memory_limit_bytes) {}

    /// Adds a piece after all earlier ones, also if `due` is earlier; false: no memory.
    [[nodiscard]] bool append(ByteView piece, TimePoint due);
    /// Adds a piece at its own time, out of order; false: no memory.
    [[nodiscard]] bool insert(ByteView piece, TimePoint due);

    /// kNever when nothing waits.
    [[nodiscard]] TimePoint next_due() const;
    /// Pieces that are due, the earliest first, some at a time; they stay until sent().
    [[nodiscard]] std::span<const ByteView> due(TimePoint now);
    /// Removes the first `count` pieces of the last due().
    void sent(std::size_t count);

    [[nodiscard]] std::uint64_t waiting_bytes() const { return waiting_bytes_; }
    [[nodiscard]] std::uint64_t memory_bytes() const;

private:
    struct Record {
        TimePoint due;
        std::size_t size;
    };
    using Memory = std::array<std::uint8_t, kBlockBytes>;
    struct Block {
        std::unique_ptr<Memory> memory;
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    using Apart = std::multimap<TimePoint, Bytes>;
    static constexpr std::size_t kMostAtOnce = 512;

    [[nodiscard]] static std::size_t room_for(std::size_t size);
    [[nodiscard]] static Record record_at(const Block &block, std::size_t offset);
    [[nodiscard]] bool add_block();
    void drop_in_order();

    std::uint64_t limit_;
    std::deque<Block> blocks_;
    std::vector<std::unique_ptr<Memory>> spare_;
    Apart apart_;
    std::uint64_t apart_bytes_ = 0;
    std::uint64_t waiting_bytes_ = 0;
    TimePoint last_in_order_{};

    // What the last due() has told, and which of it lies apart.
    std::vector<ByteView> views_;
    std::vector<bool> views_apart_;
};

}  // namespace farlink::emulation
