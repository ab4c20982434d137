// SPDX-License-Identifier: Apache-2.0
// The reading part of a session: octets from its connection to its protocol.
// Owned by a SessionDriver, which lends the connection; the loop's thread.
// It reads for at most a turn, so that the other links of the loop get theirs.
#pragma once

#include <cstddef>

#include "cla/io/quick_ack.hpp"
#include "cla/session/session_connection.hpp"
#include "common/base/time.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/received_bundles.hpp"

namespace farlink::cla {

class SessionReader {
public:
    SessionReader(SessionConnection &connection, ReadBuffer &buffer)
        : connection_(connection), buffer_(buffer) {}

    /// TLS or the protocol takes octets now; only while there is a protocol.
    [[nodiscard]] bool wanted() const;
    void begin_turn(TimePoint now);
    [[nodiscard]] bool turn_goes_on() const;
    /// Reads once and passes the octets to the protocol, whole bundles to received().
    [[nodiscard]] StreamResult read_some();
    /// read_some() has met the end of the connection, or its failure.
    void handle_status(StreamStatus status, TimePoint now);
    /// `open`: the session goes on.
    void end_turn(bool open);
    /// After the end of the session, what the peer still sends is dropped. True when the connection
    /// has ended.
    [[nodiscard]] bool discard_input();

    [[nodiscard]] ReceivedBundles &received() { return received_; }
    /// The peer has ended its direction, or the connection has failed.
    [[nodiscard]] bool ended() const { return ended_; }
    /// When the last octet came, as far as the session was read.
    [[nodiscard]] TimePoint last_octet() const { return last_octet_; }
    /// The session is not read, so the peer's silence until now does not count.
    void excuse_silence(TimePoint now) { last_octet_ = now; }

private:
    [[nodiscard]] StreamResult fill(MutableBytes space);

    SessionConnection &connection_;
    ReadBuffer &buffer_;
    ReceivedBundles received_;
    QuickAck quick_ack_;
    TimePoint last_octet_{};
    std::size_t budget_ = 0;  ///< octets that this turn may still read
    bool ended_ = false;
};

}  // namespace farlink::cla
