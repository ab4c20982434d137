// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/command_first.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace farlink::ctl::command_first_test {
namespace {

using Words = std::vector<std::string>;

class CommandFirst : public testing::Test {
protected:
    CommandFirst() {
        add_leading_options(app_, leading_);
        app_.add_subcommand("status", "");
        CLI::App *const storage = app_.add_subcommand("storage", "");
        storage->add_subcommand("list", "");
    }
    [[nodiscard]] Words ordered(const Words &words) const { return command_first(app_, words); }

    LeadingOptions leading_;
    CLI::App app_;
};

TEST_F(CommandFirst, OptionsBeforeTheCommandFollowIt) {
    EXPECT_EQ(ordered({"--config", "F", "status"}), (Words{"status", "--config", "F"}));
    EXPECT_EQ(ordered({"--json", "--socket=S", "status", "-v"}),
              (Words{"status", "--json", "--socket=S", "-v"}));
    EXPECT_EQ(ordered({"--dir", "D", "storage", "list"}), (Words{"storage", "list", "--dir", "D"}));
    EXPECT_EQ(ordered({"--dir=D", "storage", "list"}), (Words{"storage", "list", "--dir=D"}));
    EXPECT_EQ(ordered({"--json", "storage", "--socket", "S", "list", "ipn:2.1"}),
              (Words{"storage", "list", "--json", "--socket", "S", "ipn:2.1"}));
}

TEST_F(CommandFirst, OtherWordsStayWhereTheyAre) {
    EXPECT_EQ(ordered({}), Words{});
    EXPECT_EQ(ordered({"status", "--config", "F"}), (Words{"status", "--config", "F"}));
    EXPECT_EQ(ordered({"storage", "list", "status", "--json"}),
              (Words{"storage", "list", "status", "--json"}));
    EXPECT_EQ(ordered({"--help", "--json", "status"}), (Words{"--help", "--json", "status"}));
    EXPECT_EQ(ordered({"--config"}), Words{"--config"});
    EXPECT_EQ(ordered({"--config", "status"}), (Words{"--config", "status"}))
        << "it is the value of the option";
    EXPECT_EQ(ordered({"--json", "nothing", "status"}), (Words{"--json", "nothing", "status"}));
}

}  // namespace
}  // namespace farlink::ctl::command_first_test
