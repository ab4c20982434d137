// SPDX-License-Identifier: Apache-2.0
// One direction of a blocking endpoint: a connection that is made again when it is lost.
// Owned by an Endpoint; not installed.
// One thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <farlink/client/session.hpp>
#include "clients/cpp/src/connection.hpp"

namespace farlink::client {

class Channel {
public:
    /// All are borrowed. `on_new`: before the handshake of a new connection; `on_ready`: behind it,
    /// its octets to send first.
    Channel(const Address &address, std::chrono::milliseconds retry, Registration &registration,
            Direction &direction, std::function<void()> on_new,
            std::function<std::vector<Octets>()> on_ready);

    /// Connected and registered; `fresh`: since now, and octets may have come already.
    [[nodiscard]] std::optional<Error> connect(const Deadline &deadline, bool &fresh);
    /// Sends on the connection. Where that is lost, a new one has sent what it begins with.
    [[nodiscard]] std::optional<Error> write(std::span<const Octets> pieces,
                                             const Deadline &deadline);
    /// Waits for octets and takes them, by a new connection where this one is lost.
    [[nodiscard]] std::optional<Error> read(const Deadline &deadline);
    /// Sends, and forgets it where the connection is lost.
    void try_write(Octets octets);
    void close() { connection_.close(); }

private:
    [[nodiscard]] std::optional<Error> open(const Deadline &deadline, IoResult &result);
    [[nodiscard]] std::optional<Error> feed(const Deadline &deadline, IoResult &result);
    [[nodiscard]] std::optional<Error> take_rest();
    [[nodiscard]] std::optional<Error> connect_again(const Deadline &deadline);

    const Address &address_;
    const std::chrono::milliseconds retry_;
    Registration &registration_;
    Direction &direction_;
    std::function<void()> on_new_;
    std::function<std::vector<Octets>()> on_ready_;
    Connection connection_;
    std::optional<Session> session_;
    std::vector<std::uint8_t> space_;
};

}  // namespace farlink::client
