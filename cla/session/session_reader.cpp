// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_reader.hpp"

#include <algorithm>
#include <array>

#include "common/runtime/clock.hpp"

namespace farlink::cla {
namespace {

/// Read in one turn; then the other links of the loop get theirs.
constexpr std::size_t kReadPerTurn = 2 * 1024 * 1024;

using Tls = SessionConnection::Tls;

}  // namespace

bool SessionReader::wanted() const {
    if (ended_ || connection_.tls == Tls::kDue) return false;
    return connection_.tls == Tls::kHandshake || connection_.core->wants_read();
}

void SessionReader::begin_turn(TimePoint now) {
    budget_ = kReadPerTurn;
    buffer_.begin_read(connection_.hold ? &*connection_.hold : nullptr, now);
}

bool SessionReader::turn_goes_on() const {
    return budget_ > 0 && connection_.tls != Tls::kHandshake && wanted();
}

StreamResult SessionReader::read_some() {
    const MutableBytes space = connection_.core->prepare(buffer_);
    const StreamResult got = fill(space.first(std::min(space.size(), budget_)));
    budget_ -= got.bytes;
    if (got.bytes == 0) return got;
    last_octet_ = monotonic_now();
    connection_.core->handle_bytes(got.bytes, buffer_, received_, last_octet_);
    if (connection_.hold)
        connection_.hold->update(connection_.core->unfinished_bytes(), last_octet_);
    return got;
}

// Under TLS a read gives a record at a time; the protocol gets them together.
StreamResult SessionReader::fill(MutableBytes space) {
    std::size_t filled = 0;
    while (filled < space.size()) {
        const StreamResult got = connection_.stream.read(space.subspan(filled));
        filled += got.bytes;
        if (got.status != StreamStatus::kOk) return {got.status, filled};
        if (!connection_.stream.secured() && filled < space.size())
            return {StreamStatus::kWaitReadable, filled};  // the kernel has no more octets
    }
    return {StreamStatus::kOk, filled};
}

void SessionReader::handle_status(StreamStatus status, TimePoint now) {
    if (status == StreamStatus::kEnded) connection_.core->handle_peer_closed(now);
    if (status == StreamStatus::kFailed) connection_.lost = true;
    ended_ = status == StreamStatus::kEnded || status == StreamStatus::kFailed;
}

void SessionReader::end_turn(bool open) {
    buffer_.end_read();
    buffer_.rest();
    if (open && !ended_ &&
        quick_ack_.handle_read(kReadPerTurn - budget_, connection_.core->inside_message()))
        QuickAck::acknowledge_now(connection_.stream.socket().native_handle());
}

bool SessionReader::discard_input() {
    std::array<std::uint8_t, 4096> unwanted;
    for (int reads = 0; reads < 64; ++reads) {
        boost::system::error_code error;
        (void)connection_.stream.socket().read_some(boost::asio::buffer(unwanted), error);
        if (error == boost::asio::error::would_block) return false;
        if (error) return true;
    }
    return false;
}

}  // namespace farlink::cla
