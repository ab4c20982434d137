// SPDX-License-Identifier: Apache-2.0
// The blocking form of the client: an endpoint of a node for one application.
// Owned by the application. Two threads may use it: one sends, one receives and accepts.
// A lost connection is made again; ADUs that have no answer are then sent again with their ids.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farlink/client/types.hpp>

namespace farlink::client {

/// None: without limit.
using Timeout = std::optional<std::chrono::milliseconds>;

struct ConnectOptions {
    /// "/path", "unix:/path" or "tcp://host:port"; empty: that of the environment variable
    /// FARLINK_APPLICATIONS, or /run/farlink/applications.sock.
    std::string address{};
    Registration registration{};
    /// How long a lost connection is tried again.
    std::chrono::milliseconds retry{30'000};
};

class Endpoint {
public:
    [[nodiscard]] static Result<Endpoint> connect(ConnectOptions options);
    Endpoint(Endpoint &&other) noexcept;
    Endpoint &operator=(Endpoint &&other) noexcept;
    /// What was received and not accepted is given to another receiver.
    ~Endpoint();

    /// The endpoint id, such as "ipn:10.42".
    [[nodiscard]] const std::string &id() const;

    /// Returns when the node has accepted the ADU, or with the reason. After kTimedOut and
    /// kConnectionLost it may have been accepted: sending it again with its id is harmless.
    [[nodiscard]] Sent send(const std::string &destination, Octets payload,
                            const SendOptions &options = {}, Timeout timeout = {});
    /// Many ADUs under way at a time; what became of each, in their order.
    [[nodiscard]] std::vector<Sent> send_many(std::span<const Message> messages,
                                              Timeout timeout = {});

    /// The next ADU, which is to be accepted.
    [[nodiscard]] Result<Adu> receive(Timeout timeout = {});
    /// What has arrived: at least one ADU and at most `most`.
    [[nodiscard]] Result<std::vector<Adu>> receive_many(std::size_t most, Timeout timeout = {});
    /// The node may forget it.
    void accept(const Adu &adu);
    void accept_many(std::span<const Adu> adus);

private:
    struct State;
    explicit Endpoint(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace farlink::client
