// SPDX-License-Identifier: Apache-2.0
// The interfaces between the server and its connections.
// Implemented by ApiServer and by the WebSocket connections; the server's thread only.
// They keep Boost.Beast out of the server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/time.hpp"
#include "module/telemetry/api/request/request.hpp"
#include "module/telemetry/http/access/credentials.hpp"

namespace farlink::telemetry {

class AppGateway;
class AppUpload;

/// A client that receives the state and patches.
class Subscriber {
public:
    virtual ~Subscriber() = default;
    /// Sends one message; its text is shared by all clients.
    virtual void send(std::shared_ptr<const std::string> text) = 0;
    /// True when the client does not read its messages in time.
    [[nodiscard]] virtual bool slow(TimePoint now) const = 0;
    /// Closes the connection soon.
    virtual void drop() = 0;
};

/// A connection by HTTP or WebSocket.
class Connection {
public:
    virtual ~Connection() = default;
    /// Closes the connection at once; it does not call the server afterwards.
    virtual void close() = 0;
    /// True while it waits for a request, so that closing it loses no answer.
    [[nodiscard]] virtual bool waits() const = 0;
};

using WebSocketRequest = std::variant<Answer, MessagesRequest, WatchRequest>;

class ConnectionHost {
public:
    virtual ~ConnectionHost() = default;
    /// Sets the call's role and caller; returns an answer when the request is refused.
    [[nodiscard]] virtual std::optional<Answer> admit(Call &call,
                                                      const Credentials &credentials) = 0;
    /// `reply` is called once, at once or later, unless the server ends first. What is returned is
    /// held until the answer, or until the client is gone; null: its work is done in any case.
    [[nodiscard]] virtual std::shared_ptr<void> serve(Call call,
                                                      std::function<void(Answer)> reply) = 0;
    /// The same for a body of `bytes` octets that is given piece by piece. Null: `reply` was
    /// called.
    [[nodiscard]] virtual std::shared_ptr<AppUpload> open(Call call, std::uint64_t bytes,
                                                          std::function<void(Answer)> reply) = 0;
    /// The WebSocket that the call asks for, or the refusal.
    [[nodiscard]] virtual WebSocketRequest open_websocket(const Call &call) = 0;
    [[nodiscard]] virtual AppGateway &gateway() = 0;
    virtual void subscribe(const std::shared_ptr<Subscriber> &subscriber, unsigned rate) = 0;
    /// False: as many as may watch already.
    [[nodiscard]] virtual bool watch(const std::shared_ptr<Subscriber> &subscriber,
                                     const history::WatchRules &rules) = 0;
    virtual void unsubscribe(const std::shared_ptr<Subscriber> &subscriber) = 0;
    /// `address` is that of the client.
    virtual void keep(const std::shared_ptr<Connection> &connection,
                      const std::string &address) = 0;
    virtual void forget(const std::shared_ptr<Connection> &connection) = 0;
};

}  // namespace farlink::telemetry
