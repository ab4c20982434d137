// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/user/messages.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"

namespace farlink::cfdp::messages_test {
namespace {

std::vector<UserMessage> all() {
    const TransactionId id{300, 70'000};
    return {ProxyPut{1000, "source", "name"},
            ProxyOption{false, {'h', 'i'}},
            ProxyOption{true, {0x10, 1, 'x'}},
            ProxyOverride{0x73},
            ProxyMode{true},
            ProxyClosure{true},
            ProxyPutResponse{ConditionCode::kChecksumFailure, true, FileStatus::kDiscarded},
            ProxyCancel{},
            Originating{id},
            ListingRequest{"folder", "listing"},
            ListingResponse{true, "folder", "listing"},
            ReportRequest{id, "report"},
            ReportResponse{TransactionStatus::kActive, true, id, "report"},
            ChangeRequest{false, id},
            ChangeRequest{true, id},
            ChangeResponse{false, true, TransactionStatus::kActive, id},
            ChangeResponse{true, false, TransactionStatus::kTerminated, id}};
}

TEST(CfdpUserMessages, ThereAndBack) {
    for (const UserMessage &each : all()) {
        const auto octets = encode_user_message(each);
        ASSERT_TRUE(octets);
        EXPECT_EQ(decode_user_message(*octets), each) << each.index();
    }
}

TEST(CfdpUserMessages, CutOrLongerIsNone) {
    for (const UserMessage &each : all()) {
        Bytes octets = *encode_user_message(each);
        for (std::size_t size = 0; size < octets.size(); ++size)
            EXPECT_FALSE(decode_user_message(ByteView(octets).first(size))) << each.index();
        octets.push_back(0);
        EXPECT_FALSE(decode_user_message(octets));
    }
}

TEST(CfdpUserMessages, AnyChangedOctetIsAMessageOrNone) {
    Random random(1);
    for (const UserMessage &each : all())
        for (int round = 0; round < 2000; ++round) {
            Bytes octets = *encode_user_message(each);
            octets[random.below(octets.size())] = static_cast<std::uint8_t>(random.next());
            if (const auto message = decode_user_message(octets))
                (void)encode_user_message(*message);
        }
}

TEST(CfdpUserMessages, TheOctetsOfTheStandard) {
    EXPECT_EQ(encode_user_message(ProxyPut{2, "a", "bc"}),
              (Bytes{'c', 'f', 'd', 'p', 0, 1, 2, 1, 'a', 2, 'b', 'c'}));
    EXPECT_EQ(encode_user_message(Originating{{1, 300}}),
              (Bytes{'c', 'f', 'd', 'p', 0x0a, 0x01, 1, 1, 44}));
    EXPECT_EQ(encode_user_message(
                  ProxyPutResponse{ConditionCode::kNoError, false, FileStatus::kRetained}),
              (Bytes{'c', 'f', 'd', 'p', 7, 2}));
    EXPECT_EQ(encode_user_message(ListingResponse{true, "a", "b"}),
              (Bytes{'c', 'f', 'd', 'p', 0x11, 0x80, 1, 'a', 1, 'b'}));
}

TEST(CfdpUserMessages, WhatDoesNotFitIsRefused) {
    EXPECT_FALSE(encode_user_message(ProxyPut{2, std::string(200, 'x'), std::string(100, 'y')}));
    EXPECT_FALSE(encode_user_message(ListingRequest{std::string(256, 'x'), ""}));
    EXPECT_FALSE(encode_user_message(ProxyOption{false, Bytes(255)}));
}

}  // namespace
}  // namespace farlink::cfdp::messages_test
