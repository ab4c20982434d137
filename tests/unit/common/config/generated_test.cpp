// SPDX-License-Identifier: Apache-2.0
// The committed schemas and the guide are what the field tables generate.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "common/config/fields/text_file.hpp"
#include "common/config/reference/reference.hpp"
#include "common/config/reference/schema.hpp"
#include "tests/support/build_folders.hpp"

namespace farlink::config::generated_test {
namespace {

/// Compares, or writes the file when FARLINK_UPDATE_GENERATED is set.
void expect_committed(const std::string &file, const std::string &generated) {
    const std::string path = FARLINK_SOURCE_DIR "/" + file;
    if (std::getenv("FARLINK_UPDATE_GENERATED") != nullptr) {
        std::ofstream(path, std::ios::binary) << generated;
        return;
    }
    const auto committed = read_text_file(path);
    ASSERT_TRUE(committed) << committed.error().to_string();
    EXPECT_TRUE(*committed == generated)
        << file << " differs from the field tables; run this test with FARLINK_UPDATE_GENERATED=1";
}

TEST(Generated, ConfigSchema) {
    expect_committed("config/schema/farlink.schema.json", config_schema());
}

TEST(Generated, ContactPlanSchema) {
    expect_committed("config/schema/contact_plan.schema.json", contact_plan_schema());
}

TEST(Generated, ConfigurationGuide) {
    expect_committed("docs/guide/configuration.md", config_reference_markdown());
}

}  // namespace
}  // namespace farlink::config::generated_test
