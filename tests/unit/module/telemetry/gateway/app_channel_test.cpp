// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/app_channel.hpp"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <optional>

#include "tests/support/temp_folder.hpp"

namespace farlink::telemetry::app_channel_test {
namespace {

namespace asio = boost::asio;
using Protocol = asio::local::stream_protocol;

/// Of AAP 2.0: the greeting with a Welcome of node ipn:1.0, and an answer that says yes.
constexpr std::string_view kWelcome = "\x2f\x0b\x0a\x09\x0a\x07ipn:1.0";
constexpr std::string_view kYes = "\x02\x08\x01";

class AppChannelTest : public testing::Test {
protected:
    AppChannelTest() {
        acceptor.async_accept(peer, [this](const auto &error) {
            ASSERT_FALSE(error);
            asio::write(peer, asio::buffer(kWelcome));
        });
        channel->start(path, {[this] { is_ready = true; }, [] {}, [this] { ++written; },
                              [](const client::Error &error) { FAIL() << error.reason; }});
        // The channel's Config is read away.
        while (peer_reads == 0 && io.run_one() > 0)
            if (peer.is_open() && peer.available() > 0) (void)read();
        asio::write(peer, asio::buffer(kYes));
        while (!is_ready && io.run_one() > 0) {
        }
        written = 0;
    }
    ~AppChannelTest() override { channel->close(); }

    std::string read() {
        ++peer_reads;
        std::string octets(1'000, 0);
        octets.resize(peer.read_some(asio::buffer(octets)));
        return octets;
    }

    const test::TempFolder temporary;
    const std::string path = (temporary.path() / "socket").string();
    asio::io_context io;
    Protocol::acceptor acceptor{io, Protocol::endpoint(path)};
    Protocol::socket peer{io};
    client::Registration registration{"ipn:1.7"};
    client::Sender sender{registration, [](std::uint64_t, const client::Sent &) {}};
    std::shared_ptr<AppChannel> channel = std::make_shared<AppChannel>(io, registration, sender);
    bool is_ready = false;
    unsigned written = 0;
    unsigned peer_reads = 0;
};

TEST_F(AppChannelTest, WhatIsWrittenInATurnOfTheLoopLeavesTogether) {
    ASSERT_TRUE(channel->ready());
    for (const std::string_view text : {"head", "payload", "head", "payload"})
        channel->write(client::octets_of(text));
    EXPECT_EQ(peer.available(), 0U);
    EXPECT_EQ(channel->unwritten(), 22U);
    while (written == 0 && io.run_one() > 0) {
    }
    EXPECT_EQ(read(), "headpayloadheadpayload");
    EXPECT_EQ(channel->unwritten(), 0U);
    EXPECT_EQ(written, 1U);
}

TEST_F(AppChannelTest, WhatIsAboutToLeaveLeavesBeforeTheEnd) {
    channel->write(client::octets_of("answer"));
    channel->close();
    EXPECT_EQ(read(), "answer");
}

}  // namespace
}  // namespace farlink::telemetry::app_channel_test
