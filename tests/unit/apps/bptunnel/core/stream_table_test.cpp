// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/stream_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/base/random.hpp"

namespace farlink::bptunnel::stream_table_test {
namespace {

using Type = StreamEvent::Type;

constexpr TimePoint kBegin{};

Bytes message(const Message &content) {
    Bytes octets;
    append_message(octets, content);
    return octets;
}
Bytes data(std::uint32_t stream, std::uint64_t offset, std::string_view text) {
    return message(
        {.type = MessageType::kData, .stream = stream, .offset = offset, .octets = as_bytes(text)});
}

class StreamTableTest : public ::testing::Test {
protected:
    std::vector<StreamEvent> take(const Bytes &octets) { return far_.take(octets, kBegin, out_); }
    std::string ready(std::uint32_t stream) {
        return std::string(as_text(far_.take_ready(stream)));
    }
    std::uint32_t opened() {
        const std::uint32_t stream = near_.open(kBegin, forth_);
        EXPECT_EQ(take(std::exchange(forth_, {})).size(), 1U);
        return stream;
    }

    StreamLimits limits_{.streams = 4, .window = kFirstCredit};
    StreamTable near_{limits_, true};
    StreamTable far_{limits_, false};
    Bytes forth_;
    Bytes out_;
};

TEST_F(StreamTableTest, OctetsGoThroughAStream) {
    const std::uint32_t stream = near_.open(kBegin, forth_);
    near_.send(stream, as_bytes("hello"), kBegin, forth_);
    near_.send_end(stream, forth_);
    const auto events = take(forth_);
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0].type, Type::kOpened);
    EXPECT_EQ(events[1].type, Type::kMoved);
    EXPECT_FALSE(far_.ended(stream));
    EXPECT_EQ(ready(stream), "hello");
    EXPECT_TRUE(far_.ended(stream));
}

TEST_F(StreamTableTest, DisorderAndRepeatsDoNoHarm) {
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        StreamTable far(limits_, false);
        std::string text;
        std::vector<Bytes> messages;
        messages.push_back(message({.type = MessageType::kOpen, .stream = 0, .offset = 1 << 20}));
        for (int part = 0; part < 20; ++part) {
            const std::string more(1 + random.below(50), static_cast<char>('a' + part));
            messages.push_back(data(0, text.size(), more));
            if (part > 0 && random.chance(1, 3))
                messages.push_back(data(0, text.size() - 1, text.back() + more));
            text += more;
        }
        messages.push_back(
            message({.type = MessageType::kEnd, .stream = 0, .offset = text.size()}));
        const std::size_t count = messages.size();
        for (std::size_t at = 0; at < count; ++at)
            if (random.chance(1, 2)) messages.push_back(messages[at]);
        for (std::size_t at = messages.size() - 1; at > 0; --at)
            std::swap(messages[at], messages[random.below(at + 1)]);
        std::string received;
        for (const Bytes &octets : messages) {
            static_cast<void>(far.take(octets, kBegin, out_));
            received += as_text(far.take_ready(0));
        }
        EXPECT_EQ(received, text);
        EXPECT_TRUE(far.ended(0));
        EXPECT_EQ(far.faults().faults, 0U);
    }
}

TEST_F(StreamTableTest, AStreamThatIsClosedStaysClosed) {
    const std::uint32_t stream = opened();
    far_.close(stream);
    EXPECT_TRUE(take(data(stream, 0, "late")).empty());
    EXPECT_TRUE(take(message({.type = MessageType::kOpen, .stream = stream})).empty());
    EXPECT_EQ(far_.size(), 0U);
    EXPECT_EQ(far_.faults().ignored, 2U);
}

TEST_F(StreamTableTest, TheListeningEndTakesNoStreams) {
    EXPECT_TRUE(
        near_.take(message({.type = MessageType::kOpen, .stream = 9}), kBegin, out_).empty());
    EXPECT_EQ(near_.size(), 0U);
}

TEST_F(StreamTableTest, MoreThanTheCreditIsAFault) {
    const std::uint32_t stream = opened();
    const auto events = take(data(stream, kFirstCredit - 1, "xy"));
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].type, Type::kReset);
    EXPECT_EQ(far_.size(), 0U);
    EXPECT_EQ(far_.faults().faults, 1U);
    EXPECT_FALSE(out_.empty());
}

TEST_F(StreamTableTest, OffsetsThatOverflowAreFaults) {
    const std::uint32_t stream = opened();
    EXPECT_EQ(take(data(stream, ~std::uint64_t{0}, "xy"))[0].type, Type::kReset);
}

TEST_F(StreamTableTest, ManySmallPiecesAreAFault) {
    const std::uint32_t stream = opened();
    std::size_t at = 0;
    while (far_.size() > 0 && at < 10'000) {
        at += 2;
        static_cast<void>(take(data(stream, at, "x")));
    }
    EXPECT_EQ(far_.size(), 0U);
    EXPECT_LT(at, 3000U);
}

TEST_F(StreamTableTest, AnEndIsAtOneOffset) {
    const std::uint32_t stream = opened();
    static_cast<void>(take(message({.type = MessageType::kEnd, .stream = stream, .offset = 5})));
    EXPECT_EQ(far_.size(), 1U);
    static_cast<void>(take(data(stream, 3, "xyz")));
    EXPECT_EQ(far_.size(), 0U);
}

TEST_F(StreamTableTest, CreditFollowsWhatIsUsed) {
    const std::uint32_t stream = opened();
    out_.clear();
    const std::string text(kFirstCredit, 'x');
    static_cast<void>(take(data(stream, 0, text)));
    EXPECT_EQ(ready(stream).size(), text.size());
    far_.used(stream, 100, kBegin, out_);
    EXPECT_TRUE(out_.empty());
    far_.used(stream, text.size() - 100, kBegin, out_);
    MessageReader reader(out_);
    const auto credit = reader.next();
    ASSERT_TRUE(credit);
    EXPECT_EQ(credit->type, MessageType::kCredit);
    EXPECT_EQ(credit->offset, 2 * kFirstCredit);
}

TEST_F(StreamTableTest, ASenderKeepsToItsCredit) {
    const std::uint32_t stream = near_.open(kBegin, forth_);
    EXPECT_EQ(near_.may_send(stream), kFirstCredit);
    near_.send(stream, as_bytes("hello"), kBegin, forth_);
    EXPECT_EQ(near_.may_send(stream), kFirstCredit - 5);
    static_cast<void>(
        near_.take(message({.type = MessageType::kCredit, .stream = stream, .offset = 100'000}),
                   kBegin, out_));
    EXPECT_EQ(near_.may_send(stream), 100'000 - 5);
    EXPECT_EQ(near_.may_send(77), 0U);
}

TEST_F(StreamTableTest, StreamsAreBounded) {
    for (std::uint32_t stream = 0; stream < 4; ++stream)
        static_cast<void>(take(data(stream, 0, "early")));
    EXPECT_TRUE(far_.full());
    out_.clear();
    EXPECT_TRUE(take(message({.type = MessageType::kOpen, .stream = 4})).empty());
    EXPECT_EQ(far_.faults().refused, 1U);
    MessageReader reader(out_);
    EXPECT_EQ(reader.next()->reason, ResetReason::kTooMany);
}

TEST_F(StreamTableTest, EarlyOctetsWaitForTheirStreamInATime) {
    EXPECT_TRUE(take(data(0, 0, "early")).empty());
    EXPECT_TRUE(far_.expire(kBegin + seconds(59), out_).empty());
    EXPECT_EQ(far_.size(), 1U);
    EXPECT_TRUE(far_.expire(kBegin + seconds(60), out_).empty());
    EXPECT_EQ(far_.size(), 0U);
    EXPECT_EQ(far_.faults().idle, 1U);
}

TEST_F(StreamTableTest, IdleStreamsAreReset) {
    const std::uint32_t stream = opened();
    EXPECT_TRUE(far_.expire(kBegin + std::chrono::minutes(59), out_).empty());
    const auto events = far_.expire(kBegin + std::chrono::hours(1), out_);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].stream, stream);
    EXPECT_EQ(events[0].type, Type::kReset);
}

TEST_F(StreamTableTest, ARestartClearsAll) {
    const std::uint32_t stream = opened();
    static_cast<void>(take(data(5, 0, "early")));
    EXPECT_EQ(far_.clear(), std::vector{stream});
    EXPECT_EQ(far_.size(), 0U);
    EXPECT_EQ(take(message({.type = MessageType::kOpen, .stream = stream})).size(), 1U);
}

TEST_F(StreamTableTest, AnythingIsTaken) {
    Random random(3);
    for (int round = 0; round < 20'000; ++round) {
        Bytes octets(random.below(80));
        for (auto &octet : octets)
            octet = static_cast<std::uint8_t>(random.below(random.chance(3, 4) ? 6 : 256));
        static_cast<void>(take(octets));
        EXPECT_LE(far_.size(), limits_.streams);
        for (std::uint32_t stream = 0; stream < 6; ++stream)
            far_.used(stream, ready(stream).size(), kBegin, out_);
        out_.clear();
    }
}

}  // namespace
}  // namespace farlink::bptunnel::stream_table_test
