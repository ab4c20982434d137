// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/import_report.hpp"

#include <gtest/gtest.h>

namespace farlink::config::import_report_test {
namespace {

TEST(ImportReport, HasTheRefusalsFirstAndCountsAll) {
    ImportReport report;
    report.add({ImportOutcome::kMapped, "a.json", 0, "myNodeId", "10"});
    report.add({ImportOutcome::kNoted, "a.json", 0, "mySchemeName", "not used"});
    EXPECT_FALSE(report.refused());
    report.add({ImportOutcome::kRefused, "b.rc", 12, "a outduct", "no such layer"});
    EXPECT_TRUE(report.refused());
    EXPECT_EQ(report.to_string(),
              "1 refused, 0 changed, 1 noted, 1 mapped\n"
              "b.rc:12: a outduct: refused: no such layer\n"
              "a.json: mySchemeName: noted: not used\n"
              "a.json: myNodeId: mapped: 10\n");
}

TEST(ImportReport, IsBoundedAndStillCounts) {
    ImportReport report;
    for (std::size_t i = 0; i < kMostImportLines + 5; ++i)
        report.add({ImportOutcome::kChanged, "p", i + 1, "contact", "split"});
    EXPECT_EQ(report.count(ImportOutcome::kChanged), kMostImportLines + 5);
    EXPECT_EQ(report.lines(ImportOutcome::kChanged).size(), kMostImportLines);
    EXPECT_TRUE(report.text_of(ImportOutcome::kChanged).ends_with("and 5 more changed\n"));
}

TEST(ImportReport, LeavesOutWhatIsEmpty) {
    EXPECT_EQ((ImportLine{ImportOutcome::kRefused, "", 0, "", "bad"}).to_string(), "refused: bad");
    EXPECT_EQ((ImportLine{ImportOutcome::kMapped, "f", 3, "", ""}).to_string(), "f:3: mapped");
}

}  // namespace
}  // namespace farlink::config::import_report_test
