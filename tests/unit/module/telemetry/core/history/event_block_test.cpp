// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/event_block.hpp"

#include <gtest/gtest.h>

#include "common/config/fields/instant.hpp"

namespace farlink::telemetry::event_block_test {
namespace {

constexpr DtnTime kBegin = 800'000'000'000;

Json event(std::uint64_t id, DtnTime time, const std::string &text = "text") {
    return {{"id", id},        {"time", config::format_utc(time)},
            {"level", "info"}, {"module", "router"},
            {"kind", "x"},     {"text", text}};
}

Json found(ByteView content, const EventQuery &query) {
    EventCollection events(query);
    EXPECT_EQ(scan_blocks(content, [&](const HistoryBlock &block) { events.add(block); }), 0U);
    return Json::parse(events.to_text())["events"];
}

TEST(EventBlock, EventsAreReadBack) {
    Json events = Json::array();
    for (std::uint64_t i = 1; i <= 5000; ++i)
        events.push_back(event(i, kBegin + i, std::string(100, 'a')));
    events[3]["link"] = 7;
    Bytes content;
    append_events(content, events);
    std::size_t blocks = 0;
    Json read = Json::array();
    (void)scan_blocks(content, [&](const HistoryBlock &block) {
        ++blocks;
        read_events(block, [&](Json each) { read.push_back(std::move(each)); });
    });
    EXPECT_EQ(read, events);
    EXPECT_GT(blocks, 5U);
}

TEST(EventBlock, APeriodANumberAndALimitAreKept) {
    Bytes content;
    for (std::uint64_t i = 1; i <= 9; ++i)
        append_events(content, Json::array({event(i, kBegin + i * 1000)}));
    EventQuery query{kBegin + 2000, kBegin + 8000, 0, 100, false};
    EXPECT_EQ(found(content, query).size(), 7U);
    query.after = 4;
    EXPECT_EQ(found(content, query).front()["id"], 5);
    query.limit = 2;
    EXPECT_EQ(found(content, query).size(), 2U);
    EXPECT_EQ(found(content, query).back()["id"], 6);
}

TEST(EventBlock, WhatIsNoEventIsLeftOut) {
    const auto read = [](std::string_view payload) {
        std::size_t count = 0;
        read_events({BlockType::kEvents, kBegin, kBegin, as_bytes(payload)},
                    [&](Json) { ++count; });
        return count;
    };
    EXPECT_EQ(read("[" + event(1, kBegin).dump() + "]"), 1U);
    Json without_text = event(1, kBegin);
    without_text.erase("text");
    Json negative = event(1, kBegin);
    negative["id"] = -1;
    Json timeless = event(1, kBegin);
    timeless["time"] = "yesterday";
    Json linked = event(1, kBegin);
    linked["link"] = "three";
    for (const Json &wrong : {without_text, negative, timeless, linked})
        EXPECT_EQ(read("[" + wrong.dump() + "]"), 0U) << wrong;
    for (const char *wrong : {"", "[", "{}", "[1,\"a\",null]", "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]"})
        EXPECT_EQ(read(wrong), 0U) << wrong;
}

TEST(EventBlock, AnEventThatFillsABlockByItselfIsLeftOut) {
    Bytes content;
    append_events(content,
                  Json::array({event(1, kBegin, std::string(2'000'000, 'a')), event(2, kBegin)}));
    EXPECT_EQ(found(content, {kBegin, kBegin, 0, 10, false}).size(), 1U);
}

TEST(EventBlock, CommaSeparatedValuesHaveAHeader) {
    EventCollection events({0, kBegin, 0, 10, true});
    EXPECT_EQ(events.to_text(), "id,time,level,module,kind,link,text\r\n");
}

}  // namespace
}  // namespace farlink::telemetry::event_block_test
