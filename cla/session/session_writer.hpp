// SPDX-License-Identifier: Apache-2.0
// The writing part of a session: bundles to its protocol, octets of that to its connection; at the
// rate of the link.
// Owned by a SessionDriver, which lends the connection; the loop's thread.
#pragma once

#include <cstdint>
#include <span>

#include "cla/io/token_bucket.hpp"
#include "cla/session/refusal_streak.hpp"
#include "cla/session/session_connection.hpp"
#include "common/base/time.hpp"

namespace farlink::cla {

class SessionWriter {
public:
    SessionWriter(SessionConnection &connection, BitRate rate_limit)
        : connection_(connection), rate_limit_(rate_limit), bucket_(rate_limit) {}

    /// Gives the protocol bundles to send.
    void transmit(std::span<const TxBundle> bundles, TimePoint now);
    /// Octets of bundles that transmit() would take now.
    [[nodiscard]] std::uint64_t credit() const;
    void set_contact_rate(BitRate rate, TimePoint now);
    /// When there is credit again; kNever: it does not wait for that.
    [[nodiscard]] TimePoint rate_due() const { return rate_due_; }
    /// rate_due() has come. True when there is credit.
    [[nodiscard]] bool handle_rate_due(TimePoint now);

    /// Writes what the protocol has queued. kWaitWritable: go on when the socket is writable.
    [[nodiscard]] StreamResult write();
    [[nodiscard]] bool all_written() const;
    /// TLS: writing goes on when there is something to read.
    [[nodiscard]] bool needs_read() const { return needs_read_; }
    void handle_readable() { needs_read_ = false; }

    /// Every bundle below `token` is acknowledged or refused. True when one was taken.
    [[nodiscard]] bool handle_acknowledged(std::uint64_t token);
    /// True when the peer has refused so many bundles in a row that the session is of no use. What
    /// this node has refused to send does not count.
    [[nodiscard]] bool handle_refused(std::uint64_t token, Refusal refusal);
    /// Bundles have been sent that are not acknowledged.
    [[nodiscard]] bool awaits_acknowledgement() const { return acknowledged_ < next_token_; }
    /// Further pieces of the bundle sent last are to come.
    [[nodiscard]] bool awaits_pieces() const { return connection_.core->awaits_pieces(); }

private:
    SessionConnection &connection_;
    BitRate rate_limit_;
    TokenBucket bucket_;
    RefusalStreak refusals_;
    TimePoint rate_due_ = kNever;
    std::uint64_t next_token_ = 0;    ///< behind the last bundle sent
    std::uint64_t acknowledged_ = 0;  ///< every bundle sent below this token has its answer
    bool sent_before_ = false;
    bool needs_read_ = false;
    bool stream_holds_ = false;  ///< TLS records that the kernel had no room for
};

}  // namespace farlink::cla
