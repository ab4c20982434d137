// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/watch/watch_print.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::watch_print_test {
namespace {

history::FoundBundle sent() {
    history::FoundBundle made;
    made.module = "egress";
    made.bundle.id = {bp::Eid(10, 1), 800'000'000'000, 3, {}};
    made.bundle.destination = bp::Eid(20, 2);
    made.bundle.hops = 2;
    made.bundle.passage = {.ending = history::Ending::kSent,
                           .size = 1230,
                           .link = LinkId{4},
                           .sender = NodeNumber{5},
                           .time = 800'000'000'120};
    return made;
}

TEST(WatchPrint, PrintsALine) {
    EXPECT_EQ(watch_line(sent()),
              "2025-05-08T06:13:20.120Z sent by link 4: ipn:10.1/800000000000/3 to ipn:20.2, "
              "1.23 kB, age 120 ms, 2 hops");
}

TEST(WatchPrint, OmitsWhatIsNotKnown) {
    history::FoundBundle found = sent();
    found.bundle.hops.reset();
    found.bundle.id.creation_time = 0;
    found.bundle.passage.ending = history::Ending::kDeleted;
    found.bundle.passage.link = kNoLink;
    found.bundle.passage.reason = 9;
    EXPECT_EQ(watch_line(found),
              "2025-05-08T06:13:20.120Z deleted (reason 9): ipn:10.1/0/3 to ipn:20.2, 1.23 kB");
}

}  // namespace
}  // namespace farlink::ctl::watch_print_test
