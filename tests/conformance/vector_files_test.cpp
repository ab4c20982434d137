// SPDX-License-Identifier: Apache-2.0
// The vector files are those that were published: their checksums are compared by sha256sum.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/support/build_folders.hpp"

namespace farlink::vector_files_test {
namespace {

TEST(VectorFiles, AreUnchanged) {
    const std::string command =
        "cd '" FARLINK_SOURCE_DIR "/tests/vectors' && sha256sum --quiet --strict -c SHA256SUMS";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace farlink::vector_files_test
