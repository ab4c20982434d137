// SPDX-License-Identifier: Apache-2.0
// Has the kernel wake the loop as soon as the peer's kernel has acknowledged what was written.
// Owned by one outduct; one thread.
// The notice is a time stamp in the error queue of the socket (SOF_TIMESTAMPING_TX_ACK). It is a
// reason to look, nothing more: a kernel without notices, or one that drops some, costs time only.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <span>

namespace farlink::cla::stcp {

class AckNotices {
public:
    /// A new connection, of which no octets have been written.
    void restart(int socket);

    /// Writes as sendmsg() does, without waiting. The stream is written up to the offset `written`
    /// and acknowledged up to `acknowledged`; if that is due(), the last octet that the kernel
    /// takes gets a notice.
    [[nodiscard]] ssize_t write(int socket, std::span<iovec> entries, std::uint64_t written,
                                std::uint64_t acknowledged);
    /// Removes the notices from the socket, which is readable as long as it has any.
    static void discard(int socket);

    /// A peer with few transfers in flight waits for each write. Of a full pipe one notice in a
    /// round trip is enough: further writes follow anyway, and look as well.
    [[nodiscard]] bool due(std::uint64_t written, std::uint64_t acknowledged) const {
        return written - acknowledged <= kFewBytes || acknowledged >= asked_;
    }
    /// A write has asked for a notice of the stream up to this offset.
    void handle_asked(std::uint64_t offset) { asked_ = offset; }

private:
    static constexpr std::uint64_t kFewBytes = 16 * 1024;

    std::uint64_t asked_ = 0;
    bool available_ = false;
};

}  // namespace farlink::cla::stcp
