// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/options/old_names.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace farlink::old_names_test {
namespace {

using Json = nlohmann::json;

TEST(OldNames, ThoseThatAreListedAreAdded) {
    Json report{{"lostPercent", nullptr}, {"sent", 4}, {"joinedBundles", 2}};
    add_old_names(report, {{"lostPercent", "lost_percent"}, {"missing", "gone"}});
    EXPECT_EQ(report, Json({{"lostPercent", nullptr},
                            {"lost_percent", nullptr},
                            {"sent", 4},
                            {"joinedBundles", 2}}));
}

}  // namespace
}  // namespace farlink::old_names_test
