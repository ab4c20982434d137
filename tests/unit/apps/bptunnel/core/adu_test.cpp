// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/adu.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"

namespace farlink::bptunnel::adu_test {
namespace {

Bytes datagram_of(std::uint32_t flow, const char *text) {
    Bytes octets;
    append_datagram(octets, {flow, as_bytes(text)});
    return octets;
}

TEST(Adu, HeadsHaveAllFields) {
    Bytes octets(kHeadBytes);
    write_head({Kind::kStreams, 0x0102030405060708, 9, 10}, octets.data());
    const auto head = read_head(octets);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->kind, Kind::kStreams);
    EXPECT_EQ(head->from, 0x0102030405060708U);
    EXPECT_EQ(head->to, 9U);
    EXPECT_EQ(head->number, 10U);
    EXPECT_EQ(octets[0], 'F');
    EXPECT_EQ(octets[2], 1);
    EXPECT_EQ(octets[4], 1);
}

TEST(Adu, OthersHaveNoHead) {
    Bytes octets(kHeadBytes);
    write_head({}, octets.data());
    EXPECT_FALSE(read_head(ByteView(octets).first(kHeadBytes - 1)));
    for (const std::size_t at : {0U, 1U, 2U}) {
        Bytes wrong = octets;
        ++wrong[at];
        EXPECT_FALSE(read_head(wrong));
    }
    octets[3] = 3;
    EXPECT_FALSE(read_head(octets));
}

TEST(Adu, DatagramsKeepTheirBounds) {
    Bytes records = datagram_of(1, "one");
    append(records, datagram_of(2, ""));
    append(records, datagram_of(3, "three"));
    DatagramReader reader(records);
    for (const auto &[flow, text] : {std::pair(1U, "one"), {2U, ""}, {3U, "three"}}) {
        const auto datagram = reader.next();
        ASSERT_TRUE(datagram);
        EXPECT_EQ(datagram->flow, flow);
        EXPECT_EQ(as_text(datagram->octets), text);
    }
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.failed());
}

TEST(Adu, CutDatagramsAreFaults) {
    const Bytes records = datagram_of(1, "one");
    for (std::size_t size = 1; size < records.size(); ++size) {
        DatagramReader reader(ByteView(records).first(size));
        EXPECT_FALSE(reader.next());
        EXPECT_TRUE(reader.failed());
    }
}

TEST(Adu, MessagesHaveTheirFields) {
    Bytes octets;
    append_message(octets, {.type = MessageType::kOpen, .stream = 1, .offset = 65'536});
    append_message(
        octets, {.type = MessageType::kData, .stream = 2, .offset = 7, .octets = as_bytes("text")});
    append_message(octets,
                   {.type = MessageType::kReset, .stream = 3, .reason = ResetReason::kTooMany});
    MessageReader reader(octets);
    const auto open = reader.next();
    ASSERT_TRUE(open);
    EXPECT_EQ(open->offset, 65'536U);
    const auto data = reader.next();
    ASSERT_TRUE(data);
    EXPECT_EQ(data->stream, 2U);
    EXPECT_EQ(data->offset, 7U);
    EXPECT_EQ(as_text(data->octets), "text");
    const auto reset = reader.next();
    ASSERT_TRUE(reset);
    EXPECT_EQ(reset->reason, ResetReason::kTooMany);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.failed());
}

TEST(Adu, AnythingCanBeRead) {
    Random random(1);
    for (int round = 0; round < 20'000; ++round) {
        Bytes octets(random.below(64));
        for (auto &octet : octets)
            octet = static_cast<std::uint8_t>(random.below(random.chance(1, 2) ? 8 : 256));
        std::size_t seen = 0;
        MessageReader messages(octets);
        while (const auto message = messages.next()) seen += message->octets.size();
        DatagramReader datagrams(octets);
        while (const auto datagram = datagrams.next()) seen += datagram->octets.size();
        EXPECT_LE(seen, 2 * octets.size());
    }
}

}  // namespace
}  // namespace farlink::bptunnel::adu_test
