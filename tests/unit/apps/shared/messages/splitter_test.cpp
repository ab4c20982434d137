// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/splitter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace farlink::messages::splitter_test {
namespace {

using Texts = std::vector<std::string>;

/// The input in pieces of `piece` octets.
Texts split(Splitter splitter, std::string_view input, std::size_t piece) {
    std::vector<Bytes> messages;
    for (std::size_t at = 0; at < input.size(); at += piece)
        splitter.feed(as_bytes(input.substr(at, piece)), messages);
    splitter.finish(messages);
    Texts texts;
    for (const Bytes &message : messages) texts.emplace_back(message.begin(), message.end());
    return texts;
}

void expect_split(const Splitter &splitter, std::string_view input, const Texts &expected) {
    for (std::size_t piece = 1; piece <= input.size() + 1; ++piece)
        EXPECT_EQ(split(splitter, input, piece), expected) << input << " by " << piece;
}

TEST(Splitter, AWholeInputIsOneMessage) {
    expect_split({Split::kWhole, 0}, "a\nb\n", {"a\nb\n"});
    expect_split({Split::kWhole, 0}, "", {""});
}

TEST(Splitter, LinesAreWithoutTheirNewlines) {
    const Splitter lines(Split::kLines, 0);
    expect_split(lines, "one\ntwo\n", {"one", "two"});
    expect_split(lines, "one\ntwo", {"one", "two"});
    expect_split(lines, "\n\nx\r\n", {"", "", "x\r"});
    expect_split(lines, "", {});
    expect_split(lines, "\n", {""});
}

TEST(Splitter, PiecesHaveTheSizeButTheLast) {
    expect_split({Split::kBytes, 3}, "abcdefgh", {"abc", "def", "gh"});
    expect_split({Split::kBytes, 4}, "abcdefgh", {"abcd", "efgh"});
    expect_split({Split::kBytes, 1}, "ab", {"a", "b"});
    expect_split({Split::kBytes, 9}, "ab", {"ab"});
    expect_split({Split::kBytes, 9}, "", {});
}

TEST(Splitter, TheNextInputBeginsAnew) {
    Splitter splitter(Split::kLines, 0);
    std::vector<Bytes> messages;
    splitter.feed(as_bytes("a"), messages);
    splitter.finish(messages);
    splitter.feed(as_bytes("b\n"), messages);
    splitter.finish(messages);
    EXPECT_EQ(messages, (std::vector<Bytes>{{'a'}, {'b'}}));
}

}  // namespace
}  // namespace farlink::messages::splitter_test
