// SPDX-License-Identifier: Apache-2.0
// Carries TLS records between OpenSSL and a socket, many of them in one system call.
// Owned by a TlsConnection, on its thread.
// Holds memory only while records wait in it; the blocks are lent by a pool of the thread.
#pragma once

#include <cstdint>

#include "cla/tls/byte_stream.hpp"
#include "cla/tls/record_block.hpp"
#include "common/base/bytes.hpp"

struct bio_st;

namespace farlink::cla {

class TlsTransport {
public:
    /// `fd` is a non-blocking socket; it stays the caller's.
    explicit TlsTransport(int fd) : fd_(fd) {}

    /// What OpenSSL reads from and writes to; it refers to this object and belongs to the caller.
    [[nodiscard]] bio_st *make_bio();

    /// Writes queued octets to the kernel; kOk when all are written, kWaitWritable, or kFailed.
    [[nodiscard]] StreamStatus flush();
    /// One more record fits without a flush.
    [[nodiscard]] bool has_room() const { return outgoing_.room_bytes() >= kLargestRecord; }
    /// Octets have been read that OpenSSL has not taken yet.
    [[nodiscard]] bool has_incoming() const { return !incoming_.waiting().empty(); }
    [[nodiscard]] bool ended() const { return ended_; }
    /// The errno that the socket failed with; 0: it has not failed.
    [[nodiscard]] int error() const { return error_; }

    /// OpenSSL's side of it.
    enum class Outcome : std::uint8_t { kDone, kRetry, kEnded, kFailed };
    [[nodiscard]] Outcome take(ByteView octets);
    [[nodiscard]] Outcome give(MutableBytes space, std::size_t &bytes);

private:
    /// RFC 8446 section 5.2, with its header.
    static constexpr std::size_t kLargestRecord = 5 + 16384 + 256;

    [[nodiscard]] Outcome fill_incoming();

    int fd_;
    int error_ = 0;
    bool ended_ = false;
    RecordBlock incoming_;
    RecordBlock outgoing_;
};

}  // namespace farlink::cla
