// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/top/top_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "apps/farlinkctl/shared/figures.hpp"

namespace farlink::ctl::top_view_test {
namespace {

using Json = nlohmann::ordered_json;

Json link(int number, bool up) {
    return {{"number", number},
            {"neighbour", 20 + number},
            {"direction", "both"},
            {"planned", true},
            {"up", up},
            {"queuedBytes", 1'000 * number}};
}

TopPicture picture(int links) {
    Json state{
        {"node", {{"number", 10}, {"uptimeSeconds", 3'700.5}}},
        {"modules", {{"ingress", {{"state", "ready"}}}, {"router", {{"state", "ready"}}}}},
        {"plan", {{"configured", true}, {"version", 3}, {"contacts", 14}}},
        {"storage",
         {{"bundles", 1'234},
          {"bytes", 5'600'000},
          {"custodyBundles", 0},
          {"disks",
           {{"0",
             {{"path", "store0"},
              {"state", "ok"},
              {"usedBytes", 250},
              {"capacityBytes", 1'000}}}}}}},
        {"process", {{"cpuPercent", 12.5}, {"residentBytes", 35e6}}},
        {"pending",
         {{"30", {{"destination", 30}, {"bundles", 7}, {"bytes", 700}, {"custodyBundles", 1}}}}},
        {"links", Json::object()}};
    NodeRates rates;
    for (int number = 1; number <= links; ++number) {
        state["links"][std::to_string(number)] = link(number, number != 2);
        rates.links[std::to_string(number)] = {1, 8'000, 2, 1e6 * number};
    }
    TopPicture made{std::move(state), rates};
    made.events = {{{"time", "T1"}, {"level", "info"}, {"module", "m"}, {"text", "first"}},
                   {{"time", "T2"}, {"level", "error"}, {"module", "m"}, {"text", "second"}}};
    return made;
}

std::size_t line_with(const std::vector<TopLine> &lines, std::string_view words) {
    const auto found = std::ranges::find_if(
        lines, [&](const TopLine &line) { return line.text.find(words) != std::string::npos; });
    return static_cast<std::size_t>(found - lines.begin());
}

TEST(TopView, NamesWithoutANodeAreNoNode) {
    TopPicture named = picture(1);
    for (const char *name : {"dtn://seven/", "dtn://a-node-with-a-long-name/"})
        named.state["pending"][name] = {{"destination", 0},
                                        {"name", name},
                                        {"bundles", 1},
                                        {"bytes", 70},
                                        {"custodyBundles", 0}};
    const auto lines = draw_top(named, {100, 40});
    EXPECT_NE(line_with(lines, "dtn://seven/         1"), lines.size());
    EXPECT_NE(line_with(lines, "dtn://a-node-with-a-long-name/         1"), lines.size());
    EXPECT_EQ(line_with(lines, "node 0"), lines.size());
}

TEST(TopView, ShowsTheNodeItsLinksItsStoreAndItsEvents) {
    const auto lines = draw_top(picture(3), {80, 24});
    ASSERT_EQ(lines.size(), 24U);
    EXPECT_EQ(lines[0].text,
              "farlink node 10  up 1 h 1 min  all modules ready  plan 3, 14 contacts");
    EXPECT_EQ(lines[1].text, "in 0bit/s 0 bundles/s   out 0bit/s 0 bundles/s");
    EXPECT_EQ(lines[2].text,
              "stored 1.23k bundles, 5.60 MB   custody 0   processor 12.5 %   memory 35.0 MB");
    EXPECT_EQ(lines[3].style, TopStyle::kHeading);
    EXPECT_EQ(lines[3].text.size(), 80U) << "a bar";
    EXPECT_EQ(lines[4].text,
              "    1     21  up                   8.00k         1     1.00M         2   1.00 kB");
    EXPECT_NE(lines[5].text.find("not connected"), std::string::npos);
    EXPECT_EQ(lines[5].style, TopStyle::kError);
    EXPECT_NE(line_with(lines, "store0"), lines.size());
    EXPECT_NE(line_with(lines, "node 30"), lines.size());
    EXPECT_LT(line_with(lines, "second"), line_with(lines, "first")) << "the newest first";
    EXPECT_EQ(lines.back().text, "q quit   s sort links: number");
}

TEST(TopView, FitsEveryScreen) {
    TopPicture many = picture(1'000);
    many.trouble.assign(300, 'x').append("\x1b[2J");
    many.state["storage"]["disks"]["0"]["path"] = "Ö\x1b]0;title\x07";
    for (const std::size_t columns : {1U, 2U, 20U, 80U, 500U})
        for (const std::size_t rows : {0U, 1U, 2U, 5U, 8U, 24U, 60U, 2'000U}) {
            const auto lines = draw_top(many, {columns, rows});
            EXPECT_LE(lines.size(), rows);
            for (const TopLine &line : lines) {
                EXPECT_LE(columns_of(line.text), columns) << line.text;
                EXPECT_EQ(line.text.find_first_of("\x1b\n\r\x07"), std::string::npos);
            }
        }
}

TEST(TopView, WhereThereIsNoRoomItSaysHowMuchIsMissing) {
    const auto lines = draw_top(picture(1'000), {80, 24});
    const std::size_t more = line_with(lines, " more");
    ASSERT_LT(more, lines.size());
    // 20 lines for tables: 2 + 2 + 3 of the others, a heading, and the last link line tells.
    EXPECT_EQ(lines[more].text, "989 more");
    EXPECT_NE(line_with(lines, "store0"), lines.size());
    EXPECT_NE(line_with(lines, "first"), lines.size());
}

TEST(TopView, LinksAreSorted) {
    TopPicture node = picture(3);
    const auto first = [&](TopSort sort) {
        node.sort = sort;
        return draw_top(node, {80, 24})[4].text.substr(0, 5);
    };
    EXPECT_EQ(first(TopSort::kNumber), "    1");
    EXPECT_EQ(first(TopSort::kOut), "    3");
    EXPECT_EQ(first(TopSort::kQueued), "    3");
    EXPECT_EQ(first(TopSort::kState), "    2") << "what needs a look";
    EXPECT_EQ(first(TopSort::kIn), "    1") << "all alike: by number";
    TopSort sort = TopSort::kNumber;
    for (std::size_t i = 0; i < kTopSorts; ++i) sort = next(sort);
    EXPECT_EQ(sort, TopSort::kNumber);
}

TEST(TopView, AnythingMayBeMissing) {
    TopPicture nothing{Json::object(), std::nullopt};
    EXPECT_EQ(draw_top(nothing, {80, 24}).size(), 24U);
    nothing.state = {{"links", {{"1", nullptr}}}, {"pending", 7}, {"storage", {{"disks", {1}}}}};
    EXPECT_EQ(draw_top(nothing, {80, 24}).size(), 24U);
    nothing.trouble = "the node gives no reply";
    EXPECT_EQ(draw_top(nothing, {80, 24})[3].text, "the node gives no reply");
}

TEST(TopView, ModulesThatAreNotReadyAreNamed) {
    TopPicture node = picture(1);
    node.state["modules"]["router"]["state"] = "lost";
    const auto lines = draw_top(node, {80, 24});
    EXPECT_NE(lines[0].text.find("router lost"), std::string::npos);
    EXPECT_EQ(lines[0].style, TopStyle::kError);
}

TEST(TopView, ColoursAreLeftOutWhereTheyAreNotWanted) {
    EXPECT_EQ(painted({"x", TopStyle::kError}, true), "\x1b[31mx\x1b[0m");
    EXPECT_EQ(painted({"x", TopStyle::kPlain}, true), "x");
    EXPECT_EQ(painted({"x", TopStyle::kError}, false), "x");
}

}  // namespace
}  // namespace farlink::ctl::top_view_test
