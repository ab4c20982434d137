// SPDX-License-Identifier: Apache-2.0
// One connection to the applications module of this node, by its Unix socket.
// Owned by a sender or a receiver, which closes it; the server's thread only.
// It connects once; what to do after its end is its owner's matter.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstdint>
#include <farlink/client/session.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace farlink::telemetry {

class AppChannel final : public std::enable_shared_from_this<AppChannel> {
public:
    /// Called until close().
    struct Hooks {
        std::function<void()> ready;    ///< the endpoint is registered
        std::function<void()> data;     ///< the direction has something new
        std::function<void()> written;  ///< all octets have left
        std::function<void(const client::Error &)> ended;
    };

    /// `registration` and `direction` are borrowed until close().
    AppChannel(boost::asio::io_context &io, client::Registration &registration,
               client::Direction &direction)
        : socket_(io), session_(registration, direction) {}

    void start(const std::string &path, Hooks hooks);
    void close();
    [[nodiscard]] bool ready() const { return session_.ready() && !closed_; }
    /// It leaves with what else is written before the loop's other handlers have run.
    void write(client::Octets octets);
    /// Octets that have not left.
    [[nodiscard]] std::size_t unwritten() const { return waiting_.size() + leaving_.size(); }
    /// Stops reading, and goes on.
    void set_reading(bool wanted);

private:
    static constexpr std::size_t kReadBytes = 64 * 1024;

    void read();
    void handle_read(std::size_t size);
    void post_write();
    void write_waiting();
    void end(const client::Error &error);

    boost::asio::local::stream_protocol::socket socket_;
    client::Session session_;
    Hooks hooks_;
    std::vector<std::uint8_t> space_;
    std::vector<std::uint8_t> waiting_;
    std::vector<std::uint8_t> leaving_;
    bool connected_ = false;
    bool wants_read_ = true;
    bool reads_ = false;
    bool posted_ = false;  ///< write_waiting() is about to be called
    bool closed_ = false;
};

}  // namespace farlink::telemetry
