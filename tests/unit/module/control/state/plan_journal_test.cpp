// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/plan_journal.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "common/config/fields/text_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::control::plan_journal_test {
namespace {

using nlohmann::ordered_json;

class PlanJournalTest : public testing::Test {
protected:
    PlanJournalTest() {
        PlanJournal journal(folder_ / "journal");
        for (const std::uint64_t version : {2U, 3U}) {
            config::PlanContact contact;
            contact.id = version;
            contact.source = NodeNumber{10};
            contact.destination = NodeNumber{20};
            contact.end = 1000 * version;
            PlanDifference changes;
            changes.added.push_back(contact);
            EXPECT_EQ(journal.add({{"version", version}, {"user", "operator"}}, changes), "");
        }
        text_ = config::read_text_file(folder_ / "journal").value();
    }
    /// The changes of the lines behind version 1 in a file with this text.
    LaterChanges read(const std::string &text) {
        folder_.write("journal", text);
        history_.clear();
        return PlanJournal(folder_ / "journal").read(1, [this](ordered_json change) {
            history_.push_back(std::move(change));
        });
    }

    test::TempFolder folder_;
    std::string text_;
    std::vector<ordered_json> history_;
};

TEST_F(PlanJournalTest, AnyFlippedOctetOfALineIsNoticed) {
    const LaterChanges whole = read(text_);
    EXPECT_EQ(whole.count, 2U);
    EXPECT_FALSE(whole.broken);
    EXPECT_EQ(history_[1], (ordered_json{{"version", 3}, {"user", "operator"}}));
    const std::size_t line_end = text_.find('\n');
    const std::size_t check = text_.find(R"(,"crc32c":")");
    ASSERT_EQ(line_end - check, 21U);
    for (std::size_t at = 0; at < line_end; ++at) {
        std::string damaged = text_;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        const LaterChanges changes = read(damaged);
        // Without the key of the check value the line counts as one of an early version.
        const bool in_name = at >= check && at < check + 11;
        EXPECT_TRUE(changes.broken || (in_name && changes.contacts == whole.contacts))
            << at << " in " << damaged;
    }
}

TEST_F(PlanJournalTest, ReadsLinesWithoutACheckValue) {
    const std::string early =
        std::regex_replace(text_, std::regex(R"re(,"crc32c":"[0-9a-f]{8}")re"), "");
    ASSERT_LT(early.size(), text_.size());
    const LaterChanges changes = read(early);
    EXPECT_FALSE(changes.broken);
    EXPECT_EQ(changes.contacts, read(text_).contacts);
}

TEST_F(PlanJournalTest, AVersionThatIsTooLargeIsDamage) {
    const std::string early =
        std::regex_replace(text_, std::regex(R"re(,"crc32c":"[0-9a-f]{8}")re"), "");
    const LaterChanges changes = read(std::regex_replace(early, std::regex(R"("version":3)"),
                                                         R"("version":18446744073709551615)"));
    EXPECT_TRUE(changes.broken);
    EXPECT_EQ(changes.version, 2U);
    EXPECT_EQ(changes.newest, 3U);
}

}  // namespace
}  // namespace farlink::control::plan_journal_test
