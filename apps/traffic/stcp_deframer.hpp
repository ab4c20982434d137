// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of STCP frames into bundles: 32-bit big-endian length, bundle; zero: keep-alive.
// Owned by one connection of the sink; one thread.
// A plain contiguous buffer, on purpose not farlink's own receiver, which it is to judge.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/bytes.hpp"

namespace farlink::traffic {

class StcpDeframer {
public:
    explicit StcpDeframer(std::size_t read_bytes);

    /// Where to read next; never empty. Invalidates the bundles that next() gave.
    [[nodiscard]] MutableBytes space();
    /// `size` octets were read into space().
    void commit(std::size_t size) { filled_ += size; }
    /// The next whole bundle, or empty when more octets are needed.
    [[nodiscard]] std::optional<ByteView> next();

    /// Octets of a frame that is not whole: a connection that ends now has cut a bundle off.
    [[nodiscard]] std::size_t unfinished_bytes() const { return filled_ - taken_; }
    [[nodiscard]] std::uint64_t keep_alives() const { return keep_alives_; }

private:
    static constexpr std::size_t kLengthBytes = 4;
    /// A rest that is at most this long moves to the front, where the cache is warm.
    static constexpr std::size_t kCheapMove = 4096;

    void move_to_front(std::size_t capacity);

    std::size_t read_bytes_;
    std::size_t capacity_;
    std::unique_ptr<std::uint8_t[]> buffer_;
    std::size_t taken_ = 0;   ///< end of what next() gave away
    std::size_t filled_ = 0;  ///< end of what was read
    std::uint64_t keep_alives_ = 0;
};

}  // namespace farlink::traffic
