// SPDX-License-Identifier: Apache-2.0
#include "common/history/json/past_bundle_json.hpp"

#include <gtest/gtest.h>

namespace farlink::history::past_bundle_json_test {
namespace {

FoundBundle sent() {
    FoundBundle made;
    made.module = "egress";
    made.bundle.id = {bp::Eid(10, 1), 800'000'000'000, 3, {}};
    made.bundle.destination = bp::Eid(20, 2);
    made.bundle.hops = 2;
    made.bundle.passage = {.ending = Ending::kSent,
                           .size = 1230,
                           .link = LinkId{4},
                           .sender = NodeNumber{5},
                           .time = 800'000'000'120};
    return made;
}

TEST(PastBundleJson, HasEachMember) {
    const auto json = to_json(sent());
    EXPECT_EQ(json["id"], "ipn:10.1/800000000000/3");
    EXPECT_EQ(json["source"], "ipn:10.1");
    EXPECT_EQ(json["destination"], "ipn:20.2");
    EXPECT_EQ(json["outcome"], "sent");
    EXPECT_EQ(json["time"], "2025-05-08T06:13:20.120Z");
    EXPECT_EQ(json["module"], "egress");
    EXPECT_EQ(json["bytes"], 1230);
    EXPECT_EQ(json["ageMilliseconds"], 120);
    EXPECT_EQ(json["hops"], 2);
    EXPECT_EQ(json["link"], 4);
    EXPECT_EQ(json["previousNode"], 5);
    EXPECT_FALSE(json.contains("reasonCode"));
}

TEST(PastBundleJson, OmitsWhatIsNotKnown) {
    FoundBundle found = sent();
    found.bundle.hops.reset();
    found.bundle.id.creation_time = 0;
    found.bundle.passage.ending = Ending::kDeleted;
    found.bundle.passage.link = kNoLink;
    found.bundle.passage.reason = 9;
    const auto json = to_json(found);
    EXPECT_FALSE(json.contains("link"));
    EXPECT_FALSE(json.contains("ageMilliseconds"));
    EXPECT_FALSE(json.contains("hops"));
    EXPECT_EQ(json["reasonCode"], 9);
    EXPECT_EQ(json["reason"], "hop limit exceeded");
}

TEST(PastBundleJson, NamesTheReasonsOfSecurityToo) {
    FoundBundle found = sent();
    found.bundle.passage.ending = Ending::kDeleted;
    found.bundle.passage.reason = 15;
    EXPECT_EQ(to_json(found)["reason"], "failed security operation");
}

}  // namespace
}  // namespace farlink::history::past_bundle_json_test
