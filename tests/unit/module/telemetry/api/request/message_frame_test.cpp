// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/message_frame.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::message_frame_test {
namespace {

std::string with_length(std::uint32_t length, const std::string &rest) {
    std::string frame;
    for (unsigned shift = 32; shift > 0;) frame += static_cast<char>(length >> (shift -= 8) & 0xff);
    return frame + rest;
}

TEST(MessageFrame, AHeadHasTheParametersOfAPost) {
    const std::string frame = binary_frame({{"type", "send"},
                                            {"ref", 7},
                                            {"destination", "ipn:20.42"},
                                            {"lifetimeSeconds", 60},
                                            {"idempotencyKey", "k"}},
                                           "payload");
    const auto parsed = parse_frame(frame, true, "ipn:10.42");
    ASSERT_TRUE(parsed);
    const auto &send = std::get<SendFrame>(*parsed);
    EXPECT_EQ(send.ref, 7);
    EXPECT_EQ(send.key, "k");
    EXPECT_EQ(send.payload, "payload");
    EXPECT_EQ(send.target.query.at("source"), "ipn:10.42");
    EXPECT_EQ(send.target.query.at("destination"), "ipn:20.42");
    EXPECT_EQ(send.target.query.at("lifetimeSeconds"), "60");
}

TEST(MessageFrame, ATextAcceptsABundle) {
    const auto parsed =
        parse_frame(R"({"type":"accept","number":18446744073709551615})", false, "");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(std::get<AcceptFrame>(*parsed).number, ~std::uint64_t{0});
}

TEST(MessageFrame, WhatIsNotValidIsRefused) {
    for (const std::string &frame :
         {std::string(), std::string("abc"), with_length(1, ""), with_length(~0U, "{}"),
          with_length(2, "{}"), with_length(2, "[]payload"), binary_frame({{"type", "accept"}}, ""),
          binary_frame({{"type", "send"}, {"other", 1}}, ""),
          binary_frame({{"type", "send"}, {"destination", {1}}}, ""),
          binary_frame({{"type", "send"}, {"hopLimit", -1}}, ""),
          binary_frame({{"type", "send"}, {"ref", std::string(65, 'x')}}, ""),
          binary_frame({{"type", "send"}, {"ref", std::string(5000, 'x')}}, ""),
          with_length(4000, std::string(4000, '['))})
        EXPECT_FALSE(parse_frame(frame, true, "ipn:10.42")) << frame.substr(0, 60);
    for (const std::string &text :
         {std::string(), std::string("{}"), std::string(R"({"type":"accept"})"),
          std::string(R"({"type":"accept","number":-1})"),
          std::string(R"({"type":"accept","number":1,"more":1})"), std::string(5000, '[')})
        EXPECT_FALSE(parse_frame(text, false, "")) << text.substr(0, 60);
}

TEST(MessageFrame, EveryCutIsRefusedOrIsAShorterPayload) {
    const std::string frame =
        binary_frame({{"type", "send"}, {"destination", "ipn:20.42"}}, "payload");
    for (std::size_t size = 0; size < frame.size(); ++size) {
        const auto parsed = parse_frame(std::string_view(frame).substr(0, size), true, "");
        EXPECT_EQ(parsed.has_value(), size + 7 >= frame.size()) << size;
    }
}

}  // namespace
}  // namespace farlink::telemetry::message_frame_test
