// SPDX-License-Identifier: Apache-2.0
// What a connection asks of its server, and what the server asks of who listens to updates.
// Implemented by ApiServer and by the WebSocket connections; the server's thread only.
// The two sides know each other by these only, so that the server does not know what Beast is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "module/telemetry/api/call.hpp"

namespace farlink::telemetry {

/// Somebody who gets the state and its changes.
class Subscriber {
public:
    virtual ~Subscriber() = default;
    /// One message; the text is shared by all who get it.
    virtual void send(std::shared_ptr<const std::string> text) = 0;
    /// It does not take its messages.
    [[nodiscard]] virtual bool slow(TimePoint now) const = 0;
    /// It takes no more: ends in a moment.
    virtual void drop() = 0;
};

/// One connection, whatever it speaks.
class Connection {
public:
    virtual ~Connection() = default;
    /// At once; nothing of the server is touched after this.
    virtual void close() = 0;
    /// It waits for what its client says; nobody loses an answer when it is closed.
    [[nodiscard]] virtual bool waits() const = 0;
};

/// What a request says about who sends it.
struct Credentials {
    std::string address;
    std::string authorization;  ///< the field
    std::string protocols;      ///< of a WebSocket client
};

class ConnectionHost {
public:
    virtual ~ConnectionHost() = default;
    /// Sets the call's role and caller; the answer to somebody who is not served.
    [[nodiscard]] virtual std::optional<Answer> admit(Call &call,
                                                      const Credentials &credentials) = 0;
    /// `reply` is called once, now or later, unless the server ends before.
    virtual void serve(Call call, std::function<void(Answer)> reply) = 0;
    virtual void subscribe(const std::shared_ptr<Subscriber> &subscriber, unsigned rate) = 0;
    virtual void unsubscribe(const std::shared_ptr<Subscriber> &subscriber) = 0;
    /// `address`: where its client is.
    virtual void keep(const std::shared_ptr<Connection> &connection,
                      const std::string &address) = 0;
    virtual void forget(const std::shared_ptr<Connection> &connection) = 0;
};

}  // namespace farlink::telemetry
