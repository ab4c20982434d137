// SPDX-License-Identifier: Apache-2.0
// What the reading and the writing part of a session share: the connection and its protocol.
// Owned by a SessionDriver, which lends it to both.
// The loop's thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cla/api/session_core.hpp"
#include "cla/tls/byte_stream.hpp"
#include "common/buffer/reception_shares.hpp"

namespace farlink::cla {

struct SessionConnection {
    enum class Tls : std::uint8_t { kNone, kDue, kHandshake, kDone };

    SessionConnection(boost::asio::ip::tcp::socket socket, std::unique_ptr<SessionCore> protocol)
        : stream(std::move(socket)), core(std::move(protocol)) {}

    /// The protocol has something to report: take_event() returns it.
    [[nodiscard]] bool has_event() {
        if (!next_event && core) next_event = core->poll_event();
        return next_event.has_value();
    }
    [[nodiscard]] SessionEvent take_event() { return *std::exchange(next_event, std::nullopt); }
    /// Nothing comes or goes any more; the memory of the session is free.
    void end_protocol() {
        core.reset();
        hold.reset();
    }

    ByteStream stream;
    std::unique_ptr<SessionCore> core;          ///< null after end_protocol()
    std::optional<ReceptionShares::Hold> hold;  ///< as long as core, from the start on
    std::optional<SessionEvent> next_event;
    Tls tls = Tls::kNone;
    bool lost = false;  ///< the connection has failed, or its time is over
};

}  // namespace farlink::cla
