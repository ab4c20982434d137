// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/csv.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::csv_test {
namespace {

TEST(Csv, FieldsAreQuotedWhereTheyMustBe) {
    EXPECT_EQ(csv_field("plain text"), "plain text");
    EXPECT_EQ(csv_field(""), "");
    EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
    EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, EventsAreLinesUnderAHeader) {
    const Json events = Json::parse(R"([
        {"id":7,"time":"2026-01-01T00:00:00.000Z","level":"info","module":"egress",
         "kind":"link-up","link":3,"text":"link 3, up"},
        {"id":8,"time":"2026-01-01T00:00:01.000Z","level":"info","module":"router",
         "kind":"x","text":"y"}])");
    EXPECT_EQ(events_csv(events),
              "id,time,level,module,kind,link,text\r\n"
              "7,2026-01-01T00:00:00.000Z,info,egress,link-up,3,\"link 3, up\"\r\n"
              "8,2026-01-01T00:00:01.000Z,info,router,x,,y\r\n");
}

}  // namespace
}  // namespace farlink::telemetry::csv_test
