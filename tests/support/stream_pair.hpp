// SPDX-License-Identifier: Apache-2.0
// Two byte streams that are connected to each other over the loopback address.
// Owned by a test; one thread drives both ends.
// Every wait is for readiness and has a limit.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <utility>

#include "cla/tls/byte_stream.hpp"
#include "cla/tls/tls_context.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::test {

using cla::ByteStream;
using cla::SessionRole;
using cla::StreamResult;
using cla::StreamStatus;

class StreamPair {
public:
    StreamPair() : StreamPair(connect(io_)) {}

    /// The side that connected, and the one that was connected to.
    [[nodiscard]] ByteStream &active() { return active_; }
    [[nodiscard]] ByteStream &passive() { return passive_; }

    void start_tls(const cla::TlsContext &active, const cla::TlsContext &passive,
                   const std::string &host = "localhost") {
        active_.start_tls(active, SessionRole::kActive, host);
        passive_.start_tls(passive, SessionRole::kPassive, "");
    }
    /// Runs both handshakes until each has succeeded or failed: (active, passive).
    std::pair<StreamStatus, StreamStatus> shake_hands() {
        auto ended = [](StreamStatus status) {
            return status == StreamStatus::kOk || status == StreamStatus::kFailed;
        };
        StreamStatus active = active_.handshake();
        StreamStatus passive = passive_.handshake();
        while (!ended(active) || !ended(passive)) {
            if (active == StreamStatus::kFailed || passive == StreamStatus::kFailed) {
                // The other side detects the failure by an alert, or by the end of the stream.
                if (active == StreamStatus::kFailed) active_.close();
                if (passive == StreamStatus::kFailed) passive_.close();
            }
            const bool both = !ended(active) && !ended(passive);
            if (!ended(active)) wait(active_, both ? 0 : kLimitMs, active);
            if (!ended(active)) active = active_.handshake();
            if (!ended(passive)) wait(passive_, both ? 0 : kLimitMs, passive);
            if (!ended(passive)) passive = passive_.handshake();
        }
        return {active, passive};
    }

    /// Waits until a stream is ready for the operation that it waits for; false at the limit.
    static bool wait(ByteStream &stream, int limit_ms, StreamStatus status) {
        if (stream.has_buffered()) return true;
        const short events = status == StreamStatus::kWaitWritable ? POLLOUT : POLLIN;
        pollfd polled{stream.socket().native_handle(), events, 0};
        return ::poll(&polled, 1, limit_ms) == 1;
    }
    /// Reads until `size` octets, the end of the stream, or a failure.
    static std::string read(ByteStream &stream, std::size_t size, std::size_t at_once = 1 << 20) {
        std::string text;
        while (text.size() < size) {
            Bytes space(std::min(at_once, size - text.size()));
            const StreamResult result = stream.read(space);
            text.append(reinterpret_cast<const char *>(space.data()), result.bytes);
            if (result.status == StreamStatus::kOk) continue;
            if (result.status != StreamStatus::kWaitReadable ||
                !wait(stream, kLimitMs, result.status))
                break;
        }
        return text;
    }
    static StreamResult write(ByteStream &stream, std::string text) {
        const iovec piece{text.data(), text.size()};
        return stream.write({&piece, 1});
    }
    static StreamResult read_once(ByteStream &stream) {
        EXPECT_TRUE(wait(stream, kLimitMs, StreamStatus::kWaitReadable));
        Bytes space(1 << 16);
        return stream.read(space);
    }

    static constexpr int kLimitMs = 10'000;

private:
    using Sockets = std::pair<boost::asio::ip::tcp::socket, boost::asio::ip::tcp::socket>;

    explicit StreamPair(Sockets sockets)
        : active_(std::move(sockets.first)), passive_(std::move(sockets.second)) {}
    static Sockets connect(boost::asio::io_context &io) {
        using boost::asio::ip::tcp;
        tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
        tcp::socket active(io);
        active.connect(acceptor.local_endpoint());
        tcp::socket passive = acceptor.accept();
        active.set_option(tcp::no_delay(true));
        passive.set_option(tcp::no_delay(true));
        return {std::move(active), std::move(passive)};
    }

    inline static boost::asio::io_context io_;
    ByteStream active_;
    ByteStream passive_;
};

}  // namespace farlink::test
