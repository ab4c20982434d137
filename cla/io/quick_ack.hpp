// SPDX-License-Identifier: Apache-2.0
// Has the kernel acknowledge at once what a peer with Nagle's algorithm writes in small pieces.
// Owned by one session; one thread.
// Such a peer writes a head of two octets, and its kernel keeps what follows until the head is
// acknowledged, which ours puts off by 40 ms since the session has nothing to send. A peer shows
// itself by a small read that ends in the middle of a message; others pay nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace farlink::cla {

class QuickAck {
public:
    /// `bytes` have been read from the socket, all that there was; the last message is not
    /// complete, or it is. True when the kernel is to acknowledge now: see acknowledge_now().
    [[nodiscard]] bool handle_read(std::size_t bytes, bool incomplete) {
        if (bytes == 0) return false;
        if (incomplete && bytes < kSmallBytes)
            reads_left_ = kReads;
        else if (reads_left_ > 0)
            --reads_left_;
        return reads_left_ > 0;
    }
    /// The kernel may undo it at any time, so it is set after each read.
    static void acknowledge_now(int socket);

private:
    /// Less than any full segment of TCP.
    static constexpr std::size_t kSmallBytes = 500;
    /// So many reads after such a piece a peer is taken for one that writes in pieces.
    static constexpr std::uint32_t kReads = 64;

    std::uint32_t reads_left_ = 0;
};

}  // namespace farlink::cla
