// SPDX-License-Identifier: Apache-2.0
// Sends one bundle whose payload arrives piece by piece, by a connection of its own.
// Owned by the HTTP connection until its body is whole, then by its own connection.
// The server's thread only. At most one piece is in memory. Let go earlier, it sends nothing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <farlink/client/session.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/bytes.hpp"
#include "module/telemetry/gateway/app_channel.hpp"

namespace farlink::telemetry {

class AppUpload final : public std::enable_shared_from_this<AppUpload> {
public:
    /// Called once. `whole`: all of the payload had been sent, so that a lost connection leaves
    /// open whether the node has accepted it.
    using Done = std::function<void(const client::Sent &, bool whole)>;

    AppUpload(boost::asio::io_context &io, client::Registration registration, Done done);
    ~AppUpload();

    /// `message` has no payload; it will have `bytes` octets.
    void start(const std::string &socket, const client::Message &message, std::uint64_t bytes);
    /// `more` is called once, when the next piece may come; not after `done`.
    void take(ByteView piece, std::function<void()> more);
    /// The payload is whole.
    void finish();
    /// Without an answer.
    void abandon();

private:
    [[nodiscard]] AppChannel::Hooks hooks();
    void handle_ready();
    void handle_written();
    void handle_sent(client::Sent sent);
    void answer(const client::Sent &sent);

    boost::asio::io_context &io_;
    client::Registration registration_;
    client::Sender sender_;
    Done done_;
    std::shared_ptr<AppChannel> channel_;
    std::function<void()> more_;
    std::vector<std::uint8_t> first_;    ///< a piece that came before the connection
    std::optional<client::Sent> early_;  ///< an answer while the client is still sending
    std::shared_ptr<AppUpload> keep_;    ///< itself, once the payload is whole
    client::BundleId id_;
    bool whole_ = false;
};

}  // namespace farlink::telemetry
