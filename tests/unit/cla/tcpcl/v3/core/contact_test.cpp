// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/contact.hpp"

#include <gtest/gtest.h>

#include "common/codec/sdnv.hpp"
#include "tests/support/hex.hpp"

namespace farlink::cla::tcpclv3::contact_test {
namespace {

using Status = ContactReader::Status;

Bytes header_of(const std::string &node_id, std::uint8_t flags = 1, std::uint16_t keep_alive = 15) {
    return encode_contact({.flags = flags, .keep_alive_s = keep_alive, .node_id = node_id});
}

/// Feeds pieces of at most `piece` octets, as much as is taken; the rest is returned.
Status read(ContactReader &reader, ByteView octets, std::size_t piece,
            std::size_t *left = nullptr) {
    Status status = Status::kIncomplete;
    while (!octets.empty() && status == Status::kIncomplete) {
        const MutableBytes space = reader.space();
        EXPECT_FALSE(space.empty());
        const std::size_t size = std::min({space.size(), octets.size(), piece});
        std::ranges::copy(octets.first(size), space.begin());
        octets = octets.subspan(size);
        status = reader.handle_bytes(size);
    }
    if (left != nullptr) *left = octets.size();
    return status;
}

TEST(Contact, IsLaidOutAsTheStandardSays) {
    EXPECT_EQ(test::to_hex(header_of("ipn:10.0")), "64746e210301000f0869706e3a31302e30");
    const ContactHeader own = own_contact("ipn:10.0", milliseconds(2500));
    EXPECT_EQ(own.flags, kRequestAcks | kSupportRefusal | kRequestLength);
    EXPECT_EQ(own.keep_alive_s, 2U);
    EXPECT_EQ(own_contact("", seconds(100'000)).keep_alive_s, 65535U);
}

TEST(Contact, IsReadInPiecesOfAnySizeAndNotBeyondItsEnd) {
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{8}, std::size_t{130}, kMaxNodeIdBytes}) {
        const std::string node_id(length, 'n');
        Bytes octets = header_of(node_id, 0xff);
        append(octets, Bytes(40, 0x13));
        for (std::size_t piece = 1; piece <= octets.size(); ++piece) {
            ContactReader reader;
            std::size_t left = 0;
            ASSERT_EQ(read(reader, octets, piece, &left), Status::kComplete);
            EXPECT_EQ(left, 40U);
            EXPECT_EQ(reader.header().node_id, node_id);
            EXPECT_EQ(reader.header().flags, 0xff);
            EXPECT_EQ(reader.header().keep_alive_s, 15U);
        }
    }
}

TEST(Contact, CutShortItIsIncomplete) {
    const Bytes octets = header_of("dtn://node-a/");
    for (std::size_t cut = 0; cut < octets.size(); ++cut) {
        ContactReader reader;
        EXPECT_EQ(read(reader, ByteView(octets).first(cut), 100), Status::kIncomplete);
    }
}

TEST(Contact, AnotherProtocolShowsAtItsFirstOctet) {
    const Bytes octets = header_of("ipn:1.0");
    for (std::size_t at = 0; at < 4; ++at) {
        Bytes wrong = octets;
        wrong[at] ^= 0x20;
        ContactReader reader;
        EXPECT_EQ(read(reader, ByteView(wrong).first(at + 1), 1), Status::kBadMagic);
    }
}

TEST(Contact, AnotherVersionShowsAtItsOctet) {
    for (const std::uint8_t version : {0, 2, 4, 5}) {
        Bytes octets = header_of("ipn:1.0");
        octets[4] = version;
        ContactReader reader;
        EXPECT_EQ(read(reader, ByteView(octets).first(6), 6), Status::kOtherVersion);
    }
}

TEST(Contact, ANodeIdIsShortText) {
    ContactReader reader;
    EXPECT_EQ(read(reader, header_of(std::string(kMaxNodeIdBytes + 1, 'n')), 4000),
              Status::kBadNodeId);
    for (const std::string bad : {"ipn:1.\n", "ipn: 1.0", "\x7f"}) {
        ContactReader other;
        EXPECT_EQ(read(other, header_of(bad), 4000), Status::kBadNodeId);
    }
    Bytes huge = header_of("");
    huge.pop_back();
    append(huge, Bytes(11, 0xff));
    ContactReader third;
    EXPECT_EQ(read(third, huge, 4000), Status::kBadNodeId);
}

TEST(Contact, BothHaveToWantWhatHoldsForBoth) {
    const ContactHeader all{.flags = 0xf, .keep_alive_s = 30, .node_id = {}};
    const ContactHeader none{.flags = 0, .keep_alive_s = 10, .node_id = {}};
    const ContactHeader refusal{.flags = kSupportRefusal, .keep_alive_s = 0, .node_id = {}};
    const SessionTerms both = negotiate(all, all);
    EXPECT_TRUE(both.acknowledgements && both.refusal && both.length);
    EXPECT_EQ(both.keep_alive, Duration(seconds(30)));
    const SessionTerms one = negotiate(all, none);
    EXPECT_FALSE(one.acknowledgements || one.refusal || one.length);
    EXPECT_EQ(one.keep_alive, Duration(seconds(10)));
    EXPECT_FALSE(negotiate(all, refusal).refusal) << "only with acknowledgements";
    EXPECT_EQ(negotiate(all, refusal).keep_alive, Duration{});
    EXPECT_TRUE(negotiate(none, all).length) << "the peer takes it, whatever we take";
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::contact_test
