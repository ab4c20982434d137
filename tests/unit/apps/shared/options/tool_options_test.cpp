// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/options/tool_options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <vector>

namespace farlink::tool_options_test {
namespace {

struct Given {
    std::uint64_t size = 64;
    double rate = 0;
    unsigned version = 7;
    std::string warnings;
    std::string error;
};

Given parse(std::vector<std::string> words) {
    Given given;
    CLI::App app;
    add_version(app);
    app.add_option("--bundle-size", given.size)->transform(amount("bytes", 16, 1'000'000));
    app.add_option("--rate", given.rate)
        ->transform(amount_or_fraction("bundles per second", 1'000'000'000));
    app.add_option("--mean", given.rate)
        ->transform(amount_or_fraction("datagrams", 1'000'000'000, 1));
    app.add_option("--bp-version", given.version);
    words.insert(words.begin(), "/usr/bin/tool");
    std::vector<char *> raw;
    for (std::string &word : words) raw.push_back(word.data());
    testing::internal::CaptureStderr();
    try {
        parse_words(app, static_cast<int>(raw.size()), raw.data(), kRenamedBundleOptions);
    } catch (const CLI::ParseError &error) {
        given.error = error.what();
    }
    given.warnings = testing::internal::GetCapturedStderr();
    return given;
}

TEST(ToolOptions, AmountsTakeSuffixes) {
    EXPECT_EQ(parse({"--bundle-size", "64k"}).size, 64'000U);
    EXPECT_EQ(parse({"--bundle-size=64Ki"}).size, 65'536U);
    EXPECT_EQ(parse({"--rate", "10k"}).rate, 10'000);
    EXPECT_EQ(parse({"--rate", "0.5"}).rate, 0.5);
    for (const char *wrong : {"15", "2M", "64kB", "-1", "x"})
        EXPECT_NE(parse({"--bundle-size", wrong}).error, "") << wrong;
    EXPECT_NE(parse({"--rate", "-1"}).error, "");
    EXPECT_EQ(parse({"--mean", "1.5k"}).rate, 1'500);
    EXPECT_NE(parse({"--mean", "0.5"}).error, "");
}

TEST(ToolOptions, ErrorsNameUnitAndRange) {
    const auto names = [](const Given &given, const std::string &what) {
        return given.error.find(what) != std::string::npos;
    };
    EXPECT_TRUE(
        names(parse({"--bundle-size", "15"}), "found 15; expected bytes, from 16 to 1000000"));
    EXPECT_TRUE(names(parse({"--rate", "2G"}),
                      "found 2G; expected bundles per second, from 0 to 1000000000"));
    EXPECT_TRUE(names(parse({"--mean", "0.5"}), "found 0.5; expected datagrams, from 1 to"));
}

TEST(ToolOptions, OldNamesWorkWithAWarning) {
    const Given given = parse({"--size", "100", "--bp=6"});
    EXPECT_EQ(given.error, "");
    EXPECT_EQ(given.size, 100U);
    EXPECT_EQ(given.version, 6U);
    EXPECT_NE(given.warnings.find("tool: --size is now --bundle-size"), std::string::npos);
    EXPECT_NE(given.warnings.find("tool: --bp is now --bp-version"), std::string::npos);
    EXPECT_EQ(parse({"--bundle-size", "100", "--bp-version", "6"}).warnings, "");
}

TEST(ToolOptions, EveryProgramHasAVersion) {
    EXPECT_NE(parse({"--version"}).error, "") << "CLI11 ends a program so";
}

}  // namespace
}  // namespace farlink::tool_options_test
