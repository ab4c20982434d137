// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/event_reader.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::event_reader_test {
namespace {

using Json = nlohmann::ordered_json;

Json event(int id, const char *time) {
    return {{"id", id}, {"time", time}, {"text", "x"}};
}
Json events(const std::vector<Json> &list) {
    return {{"ok", true}, {"events", list}};
}

TEST(EventReader, EachEventComesOnce) {
    EventReader reader;
    EXPECT_EQ(reader.next_path(), "/api/v1/events?limit=1000&after=0");
    EXPECT_EQ(reader.take(events({event(1, "a"), event(2, "b")})).size(), 2U);
    EXPECT_EQ(reader.next_path(), "/api/v1/events?limit=1000&after=1");
    EXPECT_EQ(reader.take(events({event(2, "b")})).size(), 0U);
    EXPECT_EQ(reader.take(events({event(2, "b"), event(3, "c")})).size(), 1U);
}

TEST(EventReader, WhoWasAwayForLongGoesOnWithWhatIsLeft) {
    EventReader reader;
    (void)reader.take(events({event(1, "a")}));
    EXPECT_EQ(reader.take(events({event(501, "x"), event(502, "y")})).size(), 2U);
}

TEST(EventReader, ANodeThatWasStartedAnewIsReadFromItsBegin) {
    EventReader reader;
    (void)reader.take(events({event(7, "a")}));
    EXPECT_TRUE(reader.take(events({})).empty()) << "it has had no 7 events yet";
    EXPECT_EQ(reader.next_path(), "/api/v1/events?limit=1000&after=0");
    (void)reader.take(events({event(7, "a")}));
    EXPECT_TRUE(reader.take(events({event(7, "another"), event(8, "z")})).empty());
    EXPECT_EQ(reader.take(events({event(6, "z"), event(7, "another")})).size(), 2U);
}

}  // namespace
}  // namespace farlink::ctl::event_reader_test
