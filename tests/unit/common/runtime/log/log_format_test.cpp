// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log_format.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace farlink::log_format_test {
namespace {

using Json = nlohmann::json;

Json line_with(std::string_view message) {
    const std::string line = json_log_line("T", LogLevel::kWarn, "bus", message);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    return Json::parse(line, nullptr, false);
}

TEST(LogFormatJson, IsOneObjectALine) {
    EXPECT_EQ(json_log_line("2026-01-02T03:04:05.678901Z", LogLevel::kInfo, "egress", "up"),
              R"({"time":"2026-01-02T03:04:05.678901Z","level":"info","module":"egress",)"
              R"("message":"up"})");
}

TEST(LogFormatJson, EveryOctetComesThrough) {
    for (int octet = 0; octet < 128; ++octet) {
        const std::string text = "a" + std::string(1, static_cast<char>(octet)) + "z";
        EXPECT_EQ(line_with(text)["message"], text) << octet;
    }
    EXPECT_EQ(line_with("\"\\\n\t\x1b[31m")["message"], "\"\\\n\t\x1b[31m");
}

TEST(LogFormatJson, LineEndsAtTheEndAreRemoved) {
    EXPECT_EQ(line_with("one\ntwo\n\n")["message"], "one\ntwo");
    EXPECT_EQ(line_with("\n")["message"], "");
}

TEST(LogFormatJson, WhatIsNoUtf8IsReplaced) {
    for (const char *good : {"\u00e4", "\u20ac", "\U0001f680", "\ue000", "\U0010ffff"})
        EXPECT_EQ(line_with(good)["message"], good);
    EXPECT_EQ(line_with("a\xffz")["message"], "a\ufffdz");
    EXPECT_EQ(line_with("\xc0\xaf")["message"], "\ufffd\ufffd") << "overlong";
    EXPECT_EQ(line_with("\xed\xa0\x80")["message"], "\ufffd\ufffd\ufffd") << "a surrogate";
    EXPECT_EQ(line_with("\xf4\x90\x80\x80")["message"], "\ufffd\ufffd\ufffd\ufffd");
    EXPECT_EQ(line_with("\xe2\x82")["message"], "\ufffd\ufffd") << "cut off";
}

TEST(LogFormatJson, IsWhatALoggerWrites) {
    set_log_format(LogFormat::kJson);
    testing::internal::CaptureStderr();
    Logger("log_format_test").warn("two\nlines \"{}\"", 7);
    const std::string line = testing::internal::GetCapturedStderr();
    set_log_format(LogFormat::kText);
    ASSERT_TRUE(line.ends_with("\n"));
    const Json read = Json::parse(line, nullptr, false);
    EXPECT_EQ(read["level"], "warn");
    EXPECT_EQ(read["module"], "log_format_test");
    EXPECT_EQ(read["message"], "two\nlines \"7\"");
    EXPECT_EQ(read["time"].get<std::string>().size(), 27U);
    EXPECT_EQ(read["time"].get<std::string>().back(), 'Z');
}

TEST(LogFormatJson, HasAName) {
    EXPECT_EQ(parse_log_format("json"), LogFormat::kJson);
    EXPECT_EQ(parse_log_format("text"), LogFormat::kText);
    EXPECT_EQ(parse_log_format("syslog"), LogFormat::kSyslog);
    for (const LogFormat each : {LogFormat::kText, LogFormat::kJson, LogFormat::kSyslog})
        EXPECT_EQ(parse_log_format(to_string(each)), each);
    EXPECT_EQ(parse_log_format("xml"), std::nullopt);
}

}  // namespace
}  // namespace farlink::log_format_test
