// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/state_tables.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::state_tables_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(StateTables, ALinkSaysWhyItIsNotUsed) {
    EXPECT_EQ(link_state({{"direction", "in"}, {"connected", true}}), "listening");
    EXPECT_EQ(link_state({{"direction", "in"}}), "not listening");
    EXPECT_EQ(link_state({{"direction", "out"}, {"up", true}}), "up");
    EXPECT_EQ(link_state({{"up", true}, {"neighbourRetriedInSeconds", 3}}), "up, neighbour full");
    EXPECT_EQ(link_state({{"up", false}, {"enabled", false}}), "down by operator");
    EXPECT_EQ(link_state({{"up", false}, {"enabled", true}, {"planned", false}}), "no contact");
    EXPECT_EQ(link_state({{"up", false}, {"planned", true}}), "not connected");
    EXPECT_EQ(link_state(Json::object()), "not connected");
    EXPECT_EQ(link_state({{"up", false}, {"connected", true}, {"proved", false}}), "not proved");
}

TEST(StateTables, TheStatusSaysWhyALinkIsDown) {
    Json status{{"links",
                 {{{"link", 1}, {"planned", true}, {"connected", false}},
                  {{"link", 2}, {"planned", true}, {"connected", true}},
                  {{"link", 3}, {"planned", false}, {"connected", false}},
                  {{"link", 4}, {"planned", true}, {"connected", false}}}}};
    const Json links{{{"number", 1}, {"reason", "cannot connect: Connection refused"}},
                     {{"number", 2}, {"reason", "of its last session"}},
                     {{"number", 3}, {"reason", "of its last contact"}},
                     {{"number", 4}}};
    add_reasons(status, links);
    EXPECT_EQ(status["links"][0].value("reason", ""), "cannot connect: Connection refused");
    for (const std::size_t other : {1U, 2U, 3U})
        EXPECT_FALSE(status["links"][other].contains("reason")) << status;
}

TEST(StateTables, WhatWaitsIsCountedInWords) {
    EXPECT_EQ(storage_line({{"bundles", 2}, {"bytes", 300}, {"destinations", 1}}),
              "2 bundles, 300 B, wait for 1 destination; - in custody");
    EXPECT_EQ(
        storage_line({{"bundles", 1}, {"bytes", 300}, {"destinations", 1}, {"custodyBundles", 0}}),
        "1 bundle, 300 B, waits for 1 destination; 0 in custody");
    EXPECT_EQ(further_destinations(1), "and 1 destination with fewer bundles");
    EXPECT_EQ(further_destinations(3), "and 3 destinations with fewer bundles");
}

TEST(StateTables, LinksHaveTheRatesOfTheLastSecond) {
    Json links{{{"number", 1},
                {"neighbour", 20},
                {"up", true},
                {"rateBitsPerSec", 0},
                {"layer", "ltp"},
                {"direction", "out"},
                {"queuedBytes", 2'000},
                {"connected", false},
                {"reason", "refused\n"},
                {"address", "h:1"}},
               {{"number", 2}}};
    add_rates(links, {{"series",
                       {{"link.1.out", {1, 1'500'000}},
                        {"link.2.in", {nullptr}},
                        {"link.1.in", Json::array()}}}});
    EXPECT_EQ(links[0]["outBitsPerSec"], 1'500'000);
    EXPECT_FALSE(links[1].contains("inBitsPerSec"));
    const auto rows = links_table(links);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1], (Row{"1", "20", "ltp", "out", "up", "unlimited", "-", "1.50M", "2.00 kB",
                            "h:1 (refused?)"}));
    EXPECT_EQ(rows[2], (Row{"2", "-", "-", "-", "not connected", "-", "-", "-", "-", "-"}));
}

TEST(StateTables, AClaimedNodeIdIsNoNeighbour) {
    const Json links{{{"number", 1}, {"proved", false}, {"claimedNode", 30}},
                     {{"number", 2}, {"proved", false}, {"claimedName", "dtn://seven/"}},
                     {{"number", 3}, {"proved", false}},
                     {{"number", 4}, {"neighbour", 30}}};
    const auto rows = links_table(links);
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[1][1], "30?");
    EXPECT_EQ(rows[2][1], "dtn://seven/?");
    EXPECT_EQ(rows[3][1], "-");
    EXPECT_EQ(rows[4][1], "30");
}

TEST(StateTables, FiguresOfAModuleThatHangsHaveTheirAge) {
    EXPECT_EQ(old_figures_line({{"links", Json::array()}}), "");
    EXPECT_EQ(old_figures_line({{"figuresAgeSeconds", {{"egress", 12}}}}),
              "the figures of egress are 12 s old: it does not report; see `farlinkctl alarms`");
    EXPECT_EQ(
        old_figures_line({{"figuresAgeSeconds", {{"egress", 12}, {"ingress", 4}}}}),
        "the figures of egress are 12 s old; those of ingress are 4 s old: they do not report; "
        "see `farlinkctl alarms`");
}

TEST(StateTables, LinksAreInTheOrderOfTheirNumbers) {
    const auto rows = links_table({{{"number", 1}}, {{"number", 10}}, {{"number", 2}}});
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[2][0] + rows[3][0], "210");
}

TEST(StateTables, DisksAndDestinations) {
    const auto disks = disks_table(
        {{"disks",
          {{"0", {{"path", "s0"}, {"state", "ok"}, {"usedBytes", 500}, {"capacityBytes", 2'000}}},
           {"1", {{"path", "s1"}, {"state", "failing"}}}}}});
    ASSERT_EQ(disks.size(), 3U);
    EXPECT_EQ(disks[1], (Row{"0", "ok", "500 B", "2.00 kB", "25", "s0"}));
    EXPECT_EQ(disks[2], (Row{"1", "failing", "-", "-", "-", "s1"}));
    const Json pending{{{"destination", 30},
                        {"bundles", 2},
                        {"bytes", 100},
                        {"custodyBundles", 1},
                        {"nextExpiry", "2026Z"}},
                       {{"destination", 40}, {"bundles", 1}, {"bytes", 9}, {"custodyBundles", 0}}};
    EXPECT_EQ(pending_table(pending)[1], (Row{"30", "2", "100 B", "1", "2026Z"}));
    EXPECT_EQ(pending_table(pending)[2], (Row{"40", "1", "9 B", "0", "-"}));
    const Json names{{{"destination", 0},
                      {"bundles", 1},
                      {"bytes", 9},
                      {"custodyBundles", 1},
                      {"name", "dtn://seven/"}}};
    EXPECT_EQ(pending_table(names)[1], (Row{"dtn://seven/", "1", "9 B", "1", "-"}));
    EXPECT_EQ(custody_table(names)[1], (Row{"dtn://seven/", "1", "1"}));
    ASSERT_EQ(custody_table(pending).size(), 2U);
    EXPECT_EQ(custody_table(pending)[1], (Row{"30", "1", "2"}));
}

TEST(StateTables, CountersOfCustodyAreToldInWords) {
    EXPECT_EQ(custody_counters({{"held", 3}, {"signalsSent", 1'200'000}}),
              (std::vector<Row>{{"3", "held"}, {"1200000", "signals sent"}}));
}

TEST(StateTables, EventsAndHistory) {
    EXPECT_EQ(
        event_line({{"time", "T"}, {"level", "info"}, {"module", "egress"}, {"text", "a\x1b[2Jb"}}),
        "T info egress: a?[2Jb");
    const auto rows = history_table(
        {{"series", {{"in", {nullptr, 1'000, 3'000}}, {"out", {nullptr}}}}}, 3, false);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1], (Row{"in", "3.00k", "2.00k", "3.00k", " :#"}));
    EXPECT_EQ(rows[2], (Row{"out", "-", "-", "-", " "}));
}

}  // namespace
}  // namespace farlink::ctl::state_tables_test
