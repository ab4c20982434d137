// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/support/temp_folder.hpp"

namespace farlink::bptrace::options_test {
namespace {

TEST(Options, TellsBundlesFromEndpoints) {
    EXPECT_FALSE(is_about_bundle("ipn:30.2047"));
    EXPECT_FALSE(is_about_bundle("dtn://node/service"));
    EXPECT_FALSE(is_about_bundle("nonsense"));
    EXPECT_TRUE(is_about_bundle("ipn:10.1/757000000000/3"));
    EXPECT_TRUE(is_about_bundle("dtn://node/service/757000000000/3/10+20"));
}

TEST(Options, AProbeNeedsAnEndpoint) {
    EXPECT_EQ(wrong_probe({.what = "ipn:30.2047"}), "");
    EXPECT_NE(wrong_probe({.what = "nonsense"}), "");
    EXPECT_NE(wrong_probe({.what = "ipn:30.2047", .ask = {"http://127.0.0.1:1"}}), "");
}

TEST(Options, AProbeIsOfEitherVersion) {
    const auto version = [](std::vector<std::string> words) -> std::optional<unsigned> {
        Arguments arguments;
        CLI::App app;
        declare(app, arguments);
        try {
            app.parse(std::move(words));
        } catch (const CLI::ParseError &) {
            return std::nullopt;
        }
        return arguments.bp_version;
    };
    EXPECT_EQ(version({"ipn:30.2047"}), 7U);
    EXPECT_EQ(version({"6", "--bp-version", "ipn:30.2047"}), 6U) << "from back to front";
    EXPECT_EQ(version({"5", "--bp-version", "ipn:30.2047"}), std::nullopt);
}

TEST(Options, GivesEachNodeItsToken) {
    const test::TempFolder folder;
    folder.write("one", "first\n");
    folder.write("two", "second\n");
    Arguments arguments{.what = "ipn:10.1/5/6",
                        .ask = {"https://a:1", "https://b:2"},
                        .token_files = {folder / "one"}};
    auto nodes = asked_nodes(arguments);
    ASSERT_TRUE(nodes);
    EXPECT_EQ((*nodes)[1].token, "first");
    arguments.token_files.push_back(folder / "two");
    nodes = asked_nodes(arguments);
    ASSERT_TRUE(nodes);
    EXPECT_EQ((*nodes)[0].token, "first");
    EXPECT_EQ((*nodes)[1].token, "second");
    arguments.ask.push_back("https://c:3");
    EXPECT_FALSE(asked_nodes(arguments)) << "two tokens for three nodes";
}

TEST(Options, SendsNoTokenInTheClear) {
    const test::TempFolder folder;
    folder.write("one", "first\n");
    EXPECT_FALSE(asked_nodes({.ask = {"http://station:80"}, .token_files = {folder / "one"}}));
    EXPECT_TRUE(asked_nodes({.ask = {"http://127.0.0.1:80"}, .token_files = {folder / "one"}}));
    EXPECT_TRUE(asked_nodes({.ask = {"http://station:80"}}));
    EXPECT_FALSE(asked_nodes({.ask = {"http://station:80"}, .token_files = {folder / "none"}}));
}

}  // namespace
}  // namespace farlink::bptrace::options_test
