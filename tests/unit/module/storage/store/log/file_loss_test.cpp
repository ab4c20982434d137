// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/file_loss.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::file_loss_test {
namespace {

TEST(FileLoss, AShortFileIsNamedWithWhatIsKnown) {
    ShortFile found{.file = 21, .bytes = 700};
    EXPECT_EQ(words_of(found),
              "log file 21 has 700 bytes and no header or index: another program emptied it, or a "
              "crash occurred as it was created");
    found.expected = 8192;
    EXPECT_EQ(words_of(found),
              "log file 21 has 700 of 8192 bytes that were reserved, and no index: another program "
              "cut it short, or a crash occurred while the disk was full");
    found.clean = true;
    EXPECT_TRUE(words_of(found).ends_with("while the disk was full or as it was completed"));
    found.indexed = true;
    EXPECT_EQ(words_of(found), "log file 21 has 700 of 8192 bytes that its index states");
}

}  // namespace
}  // namespace farlink::storage::file_loss_test
