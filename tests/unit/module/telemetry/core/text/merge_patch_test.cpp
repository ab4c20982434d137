// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/text/merge_patch.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"

namespace farlink::telemetry::merge_patch_test {
namespace {

TEST(MergePatch, NothingForEqualDocuments) {
    const Json document{{"a", 1}, {"b", {{"c", "x"}}}};
    EXPECT_FALSE(merge_patch(document, document));
}

TEST(MergePatch, HasOnlyWhatChanges) {
    const Json from{{"a", 1}, {"b", {{"c", 1}, {"d", 2}}}, {"gone", {{"x", 1}}}};
    const Json to{{"a", 1}, {"b", {{"c", 1}, {"d", 3}}}, {"fresh", Json::object()}};
    const auto patch = merge_patch(from, to);
    ASSERT_TRUE(patch);
    EXPECT_EQ(*patch, Json::parse(R"({"b":{"d":3},"fresh":{},"gone":null})"));
}

TEST(MergePatch, ReplacesListsAndOtherKindsWhole) {
    const Json from{{"list", {1, 2}}, {"kind", {{"a", 1}}}};
    const Json to{{"list", {1, 3}}, {"kind", 7}};
    EXPECT_EQ(*merge_patch(from, to), to);
}

Json some_document(Random &random, int depth) {
    Json object = Json::object();
    for (const char *key : {"a", "b", "c", "d"}) {
        const auto choice = random.below(4);
        if (choice == 0) continue;
        if (choice == 1 && depth > 0)
            object[key] = some_document(random, depth - 1);
        else
            object[key] = random.below(3);
    }
    return object;
}

TEST(MergePatch, AppliedToTheFirstMakesTheSecond) {
    Random random(7);
    for (int i = 0; i < 2000; ++i) {
        Json from = some_document(random, 3);
        const Json to = some_document(random, 3);
        if (const auto patch = merge_patch(from, to)) from.merge_patch(*patch);
        ASSERT_EQ(from, to);
    }
}

}  // namespace
}  // namespace farlink::telemetry::merge_patch_test
