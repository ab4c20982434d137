// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace farlink::bpsend::options_test {
namespace {

struct Parsed {
    Arguments arguments;
    std::string error;  ///< of the words
};

Parsed parse(std::vector<std::string> words) {
    Parsed parsed;
    CLI::App app;
    declare(app, parsed.arguments);
    std::ranges::reverse(words);  // as CLI11 takes them
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError &error) {
        parsed.error = error.what();
    }
    return parsed;
}

Result<Plan, std::string> plan(std::vector<std::string> words) {
    const Parsed parsed = parse(std::move(words));
    EXPECT_EQ(parsed.error, "");
    return plan_of(parsed.arguments);
}

void expect_wrong(std::vector<std::string> words, const std::string &part) {
    const auto made = plan(std::move(words));
    ASSERT_FALSE(made.has_value());
    EXPECT_NE(made.error().find(part), std::string::npos) << made.error();
}

TEST(BpsendOptions, MessagesAreArguments) {
    const Parsed parsed = parse({"ipn:20.42", "hello", "world"});
    EXPECT_EQ(parsed.error, "");
    EXPECT_EQ(parsed.arguments.destination, "ipn:20.42");
    EXPECT_EQ(parsed.arguments.texts, (std::vector<std::string>{"hello", "world"}));
    EXPECT_EQ(parse({"ipn:20.42", "--", "--text"}).arguments.texts,
              std::vector<std::string>{"--text"});
    EXPECT_FALSE(parse({}).error.empty());
}

TEST(BpsendOptions, TheInputIsSplit) {
    EXPECT_EQ(plan({"ipn:1.1"})->split, messages::Split::kWhole);
    EXPECT_EQ(plan({"ipn:1.1", "--lines"})->split, messages::Split::kLines);
    const auto bytes = plan({"ipn:1.1", "--bytes", "64k", "--file", "a", "b"});
    EXPECT_EQ(bytes->split, messages::Split::kBytes);
    EXPECT_EQ(bytes->bytes, 64'000U);
    EXPECT_FALSE(parse({"ipn:1.1", "--bytes", "0"}).error.empty());
    expect_wrong({"ipn:1.1", "--bytes", "1", "--lines"}, "--lines");
    expect_wrong({"ipn:1.1", "text", "--lines"}, "--lines");
    expect_wrong({"ipn:1.1", "text", "--file", "a"}, "--file");
}

TEST(BpsendOptions, WhatIsNotGivenIsLeftToTheNode) {
    const auto made = plan({"ipn:1.1"});
    EXPECT_FALSE(made->with.lifetime || made->with.priority || made->with.reports ||
                 made->with.crc_type || made->with.hop_limit);
    EXPECT_EQ(made->timeout, std::chrono::milliseconds(60'000));
    EXPECT_FALSE(plan({"ipn:1.1", "--timeout", "0"})->timeout);
}

TEST(BpsendOptions, TheBundleHasWhatIsGiven) {
    const auto made = plan({"ipn:1.1", "--lifetime", "1.5", "--priority", "bulk", "--report-to",
                            "ipn:10.7", "--reports", "delivery,reception", "--crc", "crc16",
                            "--hop-limit", "9", "--source", "dtn://a/b"});
    ASSERT_TRUE(made.has_value()) << made.error();
    EXPECT_EQ(made->with.lifetime, std::chrono::milliseconds(1500));
    EXPECT_EQ(made->with.priority, client::Priority::kBulk);
    EXPECT_EQ(made->with.report_to, "ipn:10.7");
    EXPECT_EQ(made->with.reports, std::uint8_t{12});
    EXPECT_EQ(made->with.crc_type, std::uint8_t{1});
    EXPECT_EQ(made->with.hop_limit, std::uint8_t{9});
    EXPECT_EQ(made->with.source, "dtn://a/b");
}

TEST(BpsendOptions, WrongWordsAreNamed) {
    expect_wrong({"nonsense"}, "destination");
    expect_wrong({"ipn:1.1", "--from", "4x"}, "--from");
    expect_wrong({"ipn:1.1", "--source", "x"}, "--source");
    expect_wrong({"ipn:1.1", "--report-to", "x"}, "--report-to");
    expect_wrong({"ipn:1.1", "--reports", "delivery"}, "--report-to");
    for (const char *reports : {"arrival", "delivery,", "delivery,arrival"})
        expect_wrong({"ipn:1.1", "--report-to", "ipn:1.2", "--reports", reports}, "--reports");
    for (const std::vector<std::string> &more :
         std::vector<std::vector<std::string>>{{"--priority", "urgent"},
                                               {"--crc", "md5"},
                                               {"--hop-limit", "256"},
                                               {"--window", "0"},
                                               {"--lifetime", "-1"}}) {
        std::vector<std::string> words{"ipn:1.1"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_FALSE(parse(words).error.empty()) << more.front();
    }
}

TEST(BpsendOptions, ReportsDoNotTakeTheDestination) {
    const Parsed parsed = parse({"--report-to", "ipn:1.2", "--reports", "delivery", "ipn:1.1"});
    EXPECT_EQ(parsed.error, "");
    EXPECT_EQ(parsed.arguments.destination, "ipn:1.1");
}

}  // namespace
}  // namespace farlink::bpsend::options_test
