// SPDX-License-Identifier: Apache-2.0
// The script of `farlinkctl completion bash`, run by bash: its completions of a partial command.
#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test::farlinkctl_completion_test {
namespace {

class Completion : public testing::Test {
protected:
    void SetUp() override {
        ChildProcess maker({program("farlinkctl"), "completion", "bash"});
        ASSERT_EQ(maker.wait(), 0);
        folder_.write("script", maker.unread(ChildProcess::kOut));
        folder_.write("node.json", "{}");
        folder_.write("notes.txt", "");
        std::filesystem::create_directory(folder_ / "certs");
    }
    /// The completions of the last of the words, which may be empty; with a space behind each.
    std::string offered(const std::vector<std::string> &words) {
        std::string line = "cd '" + (folder_ / "") + "'; source ./script || exit 1; COMP_WORDS=(";
        for (const std::string &word : words) line += " '" + word + "'";
        line +=
            " ); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _farlinkctl; "
            "for each in \"${COMPREPLY[@]}\"; do printf '%s ' \"$each\"; done";
        ChildProcess bash({"/bin/bash", "--norc", "--noprofile", "-c", line});
        EXPECT_EQ(bash.wait(), 0) << bash.unread(ChildProcess::kErr);
        EXPECT_EQ(bash.unread(ChildProcess::kErr), "");
        return bash.unread(ChildProcess::kOut);
    }

    TempFolder folder_;
};

TEST_F(Completion, CommandsAndThoseBelowThem) {
    EXPECT_EQ(offered({"farlinkctl", "cust"}), "custody ");
    EXPECT_EQ(offered({"farlinkctl", "completion", ""}), "bash ");
    EXPECT_EQ(offered({"farlinkctl", "link", ""}), "up down remove add change set ");
    EXPECT_EQ(offered({"farlinkctl", "routes", "ex"}), "explain ");
    EXPECT_EQ(offered({"farlinkctl", "nothing", "x"}), "");
    EXPECT_EQ(offered({"farlinkctl", "sto"}), "storage ") << "no old name";
    EXPECT_EQ(offered({"farlinkctl", "storage", ""}),
              "list sets show delete hold release holds export verify compact ");
}

TEST_F(Completion, OptionsOfTheCommand) {
    EXPECT_EQ(offered({"farlinkctl", "top", "--i"}), "--interval ");
    EXPECT_EQ(offered({"farlinkctl", "events", "--fo"}), "--follow ");
    EXPECT_EQ(offered({"farlinkctl", "status", "--so"}), "--socket ") << "of a group";
    EXPECT_EQ(offered({"farlinkctl", "routes", "explain", "--so"}), "--socket ")
        << "of the command above";
    EXPECT_EQ(offered({"farlinkctl", "storage", "list", "--des"}), "--destination ")
        << "an operand, too";
    EXPECT_EQ(offered({"farlinkctl", "--vers"}), "--version ");
    EXPECT_EQ(offered({"farlinkctl", "--so"}), "--socket ") << "before the command, too";
    EXPECT_EQ(offered({"farlinkctl", "--config", "node.json", "stat"}), "status ");
}

TEST_F(Completion, FilesAndFoldersWhereAnOptionExpectsThem) {
    EXPECT_EQ(offered({"farlinkctl", "status", "--config", "no"}), "node.json notes.txt ");
    EXPECT_EQ(offered({"farlinkctl", "status", "--config", "=", "node"}), "node.json ");
    EXPECT_EQ(offered({"farlinkctl", "status", "--config", "="}).find("custody"),
              std::string::npos);
    EXPECT_EQ(offered({"farlinkctl", "storage", "list", "--dir", ""}), "certs ");
    EXPECT_EQ(offered({"farlinkctl", "plan", "check", "node"}), "node.json ") << "an operand";
    EXPECT_EQ(offered({"farlinkctl", "link", "down", "no"}), "") << "a number";
    EXPECT_EQ(offered({"farlinkctl", "status", "--config", "status", "--js"}), "--json ")
        << "a value is no command";
}

TEST_F(Completion, WordsWhereOnlySomeAreAllowed) {
    EXPECT_EQ(offered({"farlinkctl", "routes", "explain", "1", "2", "--priority", ""}),
              "bulk normal expedited ");
    EXPECT_EQ(offered({"farlinkctl", "tokens", "make", "--role", "op"}), "operate ");
    EXPECT_EQ(offered({"farlinkctl", "log", "level", "ltp", "tr"}), "trace ");
}

}  // namespace
}  // namespace farlink::test::farlinkctl_completion_test
