// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

namespace farlink::bpreceive::options_test {
namespace {

/// The error; empty: the words are good.
std::string parse(std::vector<std::string> words, Arguments &arguments) {
    CLI::App app;
    declare(app, arguments);
    std::ranges::reverse(words);  // as CLI11 takes them
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError &error) {
        return error.what();
    }
    return complete(arguments);
}

std::uint32_t window_of(std::vector<std::string> words) {
    Arguments arguments;
    EXPECT_EQ(parse(std::move(words), arguments), "");
    return arguments.node.window;
}

TEST(BpreceiveOptions, TheWindowIsNoLargerThanUseful) {
    EXPECT_EQ(window_of({"42"}), 1024U);
    EXPECT_EQ(window_of({"42", "--count", "3"}), 3U);
    EXPECT_EQ(window_of({"42", "--count", "100", "--window", "8"}), 8U);
    EXPECT_EQ(window_of({"42", "--exec", "cat", "--window", "8"}), 1U);
}

TEST(BpreceiveOptions, TheHelpNamesWhatACommandGets) {
    CLI::App app;
    Arguments arguments;
    declare(app, arguments);
    const std::string help = app.help();
    for (const char *variable :
         {"SOURCE", "DESTINATION", "ID", "REPORT_TO", "REPEATED", "STATUS_REPORT"})
        EXPECT_NE(help.find(std::string("FARLINK_") + variable), std::string::npos) << variable;
}

TEST(BpreceiveOptions, WrongWordsAreNamed) {
    Arguments arguments;
    EXPECT_FALSE(parse({}, arguments).empty());
    EXPECT_NE(parse({"x"}, arguments).find("endpoint"), std::string::npos);
    for (const auto &words :
         std::vector<std::vector<std::string>>{{"42", "--folder", "a", "--exec", "b"},
                                               {"42", "--lines", "--folder", "a"},
                                               {"42", "--lines", "--json"},
                                               {"42", "--count", "0"},
                                               {"42", "--timeout", "-1"}}) {
        Arguments others;
        EXPECT_FALSE(parse(words, others).empty()) << words[1];
    }
}

TEST(BpreceiveOptions, EndpointsAreServicesOrFull) {
    for (const char *endpoint : {"42", "ipn:10.42", "dtn://node/name"}) {
        Arguments arguments;
        EXPECT_EQ(parse({endpoint}, arguments), "") << endpoint;
        EXPECT_EQ(arguments.node.endpoint, endpoint);
    }
}

}  // namespace
}  // namespace farlink::bpreceive::options_test
