// SPDX-License-Identifier: Apache-2.0
// Against a server on the same loop that answers, refuses, hangs, or is not there.
#include "module/telemetry/alarms/alarm_webhook.hpp"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <list>

#include "common/runtime/clock.hpp"

namespace farlink::telemetry::alarm_webhook_test {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;

class Server {
public:
    /// `reply` is empty: it reads and never answers.
    Server(asio::io_context &io, std::string reply)
        : acceptor_(io, {asio::ip::make_address("127.0.0.1"), 0}), reply_(std::move(reply)) {
        accept();
    }
    [[nodiscard]] config::WebhookTarget target() const {
        return {"127.0.0.1", std::to_string(acceptor_.local_endpoint().port()), "/hook?x=1"};
    }
    std::list<std::string> requests;

private:
    struct Peer {
        asio::ip::tcp::socket socket;
        std::string read;
    };
    void accept() {
        acceptor_.async_accept([this](const Error &error, asio::ip::tcp::socket socket) {
            if (error) return;
            peers_.push_back({std::move(socket), {}});
            read(peers_.back());
            accept();
        });
    }
    void read(Peer &peer) {
        asio::async_read_until(peer.socket, asio::dynamic_buffer(peer.read), "\r\n\r\n{",
                               [this, &peer](const Error &error, std::size_t) {
                                   if (error) return;
                                   requests.push_back(peer.read);
                                   if (!reply_.empty()) write(peer);
                               });
    }
    void write(Peer &peer) {
        asio::async_write(peer.socket, asio::buffer(reply_), [&peer](const Error &, std::size_t) {
            Error ignored;
            peer.socket.close(ignored);
        });
    }

    asio::ip::tcp::acceptor acceptor_;
    std::string reply_;
    std::list<Peer> peers_;
};

/// Runs the loop until the condition is true; false after ten seconds.
bool run_until(asio::io_context &io, const std::function<bool()> &condition) {
    const TimePoint end = monotonic_now() + seconds(10);
    while (!condition()) {
        if (monotonic_now() > end) return false;
        io.run_one_for(std::chrono::milliseconds(20));
    }
    return true;
}

constexpr const char *kAccepted = "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n";

TEST(AlarmWebhook, PostsOneAfterTheOther) {
    asio::io_context io;
    Server server(io, kAccepted);
    AlarmWebhook hook(io, server.target());
    hook.call(R"({"id":1})");
    hook.call(R"({"id":2})");
    ASSERT_TRUE(run_until(io, [&] { return hook.counts().done == 2; }));
    ASSERT_EQ(server.requests.size(), 2U);
    const std::string &first = server.requests.front();
    EXPECT_TRUE(first.starts_with("POST /hook?x=1 HTTP/1.1\r\n")) << first;
    EXPECT_NE(first.find("Content-Type: application/json"), std::string::npos) << first;
    EXPECT_NE(first.find(R"({"id":1})"), std::string::npos) << first;
    EXPECT_EQ(hook.counts().failed, 0U);
}

TEST(AlarmWebhook, AnErrorOfTheServerIsAFailure) {
    asio::io_context io;
    Server server(io, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n");
    AlarmWebhook hook(io, server.target());
    hook.call("{}");
    ASSERT_TRUE(run_until(io, [&] { return hook.counts().failed == 1; }));
}

TEST(AlarmWebhook, NobodyListens) {
    asio::io_context io;
    config::WebhookTarget nobody = Server(io, "").target();
    AlarmWebhook hook(io, nobody);
    hook.call("{}");
    hook.call("{}");
    ASSERT_TRUE(run_until(io, [&] { return hook.counts().failed == 2; }));
}

TEST(AlarmWebhook, WhatIsNoHttpIsAFailure) {
    asio::io_context io;
    Server server(io, "220 mail.example ready\r\n\r\n");
    AlarmWebhook hook(io, server.target());
    hook.call("{}");
    ASSERT_TRUE(run_until(io, [&] { return hook.counts().failed == 1; }));
}

TEST(AlarmWebhook, AServerThatHangsCostsTheLimitAndTheQueueIsBounded) {
    asio::io_context io;
    Server server(io, "");
    AlarmWebhook hook(io, server.target(), milliseconds(50));
    constexpr std::size_t kMost = HookQueue<std::string>::kMostWaiting;
    for (std::size_t i = 0; i < kMost + 11; ++i) hook.call("{}");
    EXPECT_EQ(hook.counts().dropped, 10U) << "one runs, a hundred wait";
    ASSERT_TRUE(run_until(io, [&] { return hook.counts().failed >= 3; }));
    EXPECT_EQ(hook.counts().done, 0U);
}

TEST(AlarmWebhook, ItsEndWaitsForNothing) {
    asio::io_context io;
    Server server(io, "");
    {
        AlarmWebhook hook(io, server.target());
        hook.call("{}");
        ASSERT_TRUE(run_until(io, [&] { return !server.requests.empty(); }));
    }
    io.run_for(std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace farlink::telemetry::alarm_webhook_test
