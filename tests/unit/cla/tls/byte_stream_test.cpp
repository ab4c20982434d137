// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/byte_stream.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/stream_pair.hpp"

namespace farlink::cla::byte_stream_test {
namespace {

using test::StreamPair;

TEST(ByteStream, PassesOctetsInTheClear) {
    StreamPair pair;
    std::string a = "head";
    std::string b = "payload";
    const std::array<iovec, 3> pieces{{{a.data(), 4}, {nullptr, 0}, {b.data(), 7}}};
    const StreamResult written = pair.active().write(pieces);
    EXPECT_EQ(written.status, StreamStatus::kOk);
    EXPECT_EQ(written.bytes, 11U);
    EXPECT_EQ(StreamPair::read(pair.passive(), 11), "headpayload");
    EXPECT_FALSE(pair.passive().has_buffered());
    EXPECT_FALSE(pair.passive().secured());
    EXPECT_EQ(pair.passive().peer_names(), nullptr);
}

TEST(ByteStream, WaitsWhenThereIsNothingToReadOrWrite) {
    StreamPair pair;
    Bytes space(10);
    EXPECT_EQ(pair.active().read(space).status, StreamStatus::kWaitReadable);
    EXPECT_EQ(pair.active().write({}).status, StreamStatus::kOk);
}

TEST(ByteStream, TakesOnlyWhatTheKernelTakes) {
    StreamPair pair;
    const std::string much(64 << 20, 'x');
    const StreamResult written = StreamPair::write(pair.active(), much);
    EXPECT_EQ(written.status, StreamStatus::kWaitWritable);
    EXPECT_GT(written.bytes, 0U);
    EXPECT_LT(written.bytes, much.size());
    EXPECT_EQ(StreamPair::write(pair.active(), much).status, StreamStatus::kWaitWritable);
    EXPECT_EQ(StreamPair::read(pair.passive(), written.bytes).size(), written.bytes);
}

TEST(ByteStream, TellsTheEndOfOneDirectionOnly) {
    StreamPair pair;
    pair.active().shut_down_writing();
    EXPECT_EQ(StreamPair::read_once(pair.passive()).status, StreamStatus::kEnded);
    EXPECT_EQ(StreamPair::write(pair.passive(), "still open").status, StreamStatus::kOk);
    EXPECT_EQ(StreamPair::read(pair.active(), 10), "still open");
}

// SIGPIPE would end the test program.
TEST(ByteStream, FailsWithAReasonWhenThePeerIsGone) {
    StreamPair pair;
    pair.passive().socket().set_option(boost::asio::socket_base::linger(true, 0));
    pair.passive().close();
    EXPECT_EQ(StreamPair::read_once(pair.active()).status, StreamStatus::kFailed);
    EXPECT_EQ(pair.active().reason(), "Connection reset by peer");
    EXPECT_EQ(StreamPair::write(pair.active(), "lost").status, StreamStatus::kFailed);
    EXPECT_EQ(pair.active().reason(), "Broken pipe");
}

TEST(ByteStream, MovesWithItsConnection) {
    StreamPair pair;
    ByteStream moved(std::move(pair.active()));
    EXPECT_EQ(StreamPair::write(moved, "moved").status, StreamStatus::kOk);
    EXPECT_EQ(StreamPair::read(pair.passive(), 5), "moved");
}

}  // namespace
}  // namespace farlink::cla::byte_stream_test
