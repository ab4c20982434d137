// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/message.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4::message_test {
namespace {

using test::from_hex;

template <class Message>
void expect_incomplete_until_whole(const Bytes &octets,
                                   Result<Message, DecodeError> (*decode)(ByteView)) {
    for (std::size_t size = 1; size < octets.size(); ++size) {
        const Bytes begun(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
        const auto message = decode(begun);
        ASSERT_FALSE(message.has_value()) << size;
        EXPECT_EQ(message.error(), DecodeError::kIncomplete) << size;
    }
    EXPECT_TRUE(decode(octets).has_value());
}

TEST(Tcpclv4Message, IsIncompleteWhereverItIsTruncated) {
    SessionInit init;
    init.node_id = "ipn:1.0";
    const Bytes item = octets_of_message(ExtensionItem{0, 300, as_bytes("abc")});
    init.items = item;
    expect_incomplete_until_whole(octets_of_message(init), decode_session_init);
    expect_incomplete_until_whole(octets_of_message(Segment{kSegmentEnd, 7, {}, 9}),
                                  decode_segment);
    expect_incomplete_until_whole(octets_of_message(Segment{kSegmentStart, 7, item, 9}),
                                  decode_segment);
    expect_incomplete_until_whole(octets_of_message(Ack{3, 7, 9}), decode_ack);
    expect_incomplete_until_whole(octets_of_message(Refuse{3, 7}), decode_refuse);
    expect_incomplete_until_whole(octets_of_message(Term{0, 1}), decode_term);
    expect_incomplete_until_whole(octets_of_message(Reject{RejectReason::kUnsupported, 7}),
                                  decode_reject);
    expect_incomplete_until_whole(octets_of_message(ContactHeader{}), decode_contact);
}

TEST(Tcpclv4Message, AnswersAWrongMagicStringAtItsFirstWrongOctet) {
    EXPECT_EQ(decode_contact(from_hex("65")).error(), DecodeError::kMalformed);
    EXPECT_EQ(decode_contact(from_hex("64746e22")).error(), DecodeError::kMalformed);
    EXPECT_EQ(decode_contact(from_hex("64746e21")).error(), DecodeError::kIncomplete);
    EXPECT_EQ(decode_contact(from_hex("64746e2103"))->version, 3);
}

TEST(Tcpclv4Message, IsBoundedWhateverItAnnounces) {
    // A node id of 65,535 octets; extension items of 4 GB.
    const Bytes long_id = from_hex("07001e00000000000100000000000000100000ffff");
    EXPECT_EQ(decode_session_init(long_id).error(), DecodeError::kTooLong);
    const Bytes many_items = from_hex("07001e000000000001000000000000001000000000ffffffff");
    EXPECT_EQ(decode_session_init(many_items).error(), DecodeError::kTooLong);
    EXPECT_EQ(decode_segment(from_hex("01020000000000000000ffffffff00000000")).error(),
              DecodeError::kTooLong);
}

TEST(Tcpclv4Message, ItemsThatDisagreeWithTheirLengthAreMalformed) {
    const Bytes items = octets_of_message(ExtensionItem{0, 1, as_bytes("ab")}) +
                        octets_of_message(ExtensionItem{kCritical, 2, {}});
    for (std::size_t size = 0; size <= items.size(); ++size) {
        ItemReader reader(ByteView(items).first(size));
        std::size_t count = 0;
        while (reader.next()) ++count;
        const bool whole = size == 0 || size == 7 || size == items.size();
        EXPECT_EQ(reader.is_malformed(), !whole) << size;
        EXPECT_EQ(count, size == items.size() ? 2U : size >= 7 ? 1U : 0U);
    }
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::message_test
