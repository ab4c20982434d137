// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/input.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <string>

#include "tests/support/temp_folder.hpp"

namespace farlink::bpsend::input_test {
namespace {

class BpsendInput : public testing::Test {
protected:
    [[nodiscard]] Input input(std::vector<std::string> names, messages::Splitter splitter,
                              BatchLimits limits = {}) const {
        for (std::string &name : names) name = folder_ / name;
        return {std::move(names), splitter, limits, stop_.get()};
    }
    /// All messages, and how many batches they came in.
    static std::vector<std::string> all(Input &input, std::size_t *batches = nullptr) {
        std::vector<std::string> texts;
        for (;;) {
            const auto batch = input.next();
            EXPECT_TRUE(batch.has_value()) << batch.error();
            if (!batch || batch->empty()) return texts;
            if (batches != nullptr) ++*batches;
            for (const Bytes &message : *batch) texts.emplace_back(message.begin(), message.end());
        }
    }

    test::TempFolder folder_;
    FileDescriptor stop_{::eventfd(0, EFD_CLOEXEC)};
};

using Texts = std::vector<std::string>;

TEST_F(BpsendInput, FilesAreReadInOrder) {
    folder_.write("a", "one\ntwo");
    folder_.write("b", "three\n");
    folder_.write("empty", "");
    Input whole = input({"a", "empty", "b"}, {messages::Split::kWhole, 0});
    EXPECT_EQ(all(whole), (Texts{"one\ntwo", "", "three\n"}));
    Input lines = input({"a", "empty", "b"}, {messages::Split::kLines, 0});
    EXPECT_EQ(all(lines), (Texts{"one", "two", "three"}));
}

TEST_F(BpsendInput, BatchesHaveLimits) {
    const std::string content(2'000'000, 'x');
    folder_.write("a", content);
    Input pieces = input({"a"}, {messages::Split::kBytes, 100'000}, {.messages = 5});
    std::size_t batches = 0;
    const Texts texts = all(pieces, &batches);
    EXPECT_EQ(texts.size(), 20U);
    EXPECT_GE(batches, 3U);
    std::string joined;
    for (const std::string &text : texts) joined += text;
    EXPECT_EQ(joined, content);
}

TEST_F(BpsendInput, WhatCannotBeReadIsNamed) {
    Input absent = input({"absent"}, {messages::Split::kWhole, 0});
    EXPECT_NE(absent.next().error().find("absent: No such file"), std::string::npos);
    ::mkdir((folder_ / "folder").c_str(), 0700);
    Input folder = input({"folder"}, {messages::Split::kWhole, 0});
    EXPECT_NE(folder.next().error().find("directory"), std::string::npos);
}

TEST_F(BpsendInput, NothingIsReadAfterAStop) {
    folder_.write("a", "text");
    ::eventfd_write(stop_.get(), 1);
    Input stopped = input({"a"}, {messages::Split::kWhole, 0});
    EXPECT_EQ(all(stopped), Texts{});
}

}  // namespace
}  // namespace farlink::bpsend::input_test
