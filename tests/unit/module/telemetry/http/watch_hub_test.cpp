// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/watch_hub.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/history/file/history_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::telemetry::watch_hub_test {
namespace {

class Client final : public Subscriber {
public:
    void send(std::shared_ptr<const std::string> text) override {
        messages.push_back(nlohmann::json::parse(*text));
    }
    [[nodiscard]] bool slow(TimePoint) const override { return is_slow; }
    void drop() override { dropped = true; }

    std::vector<nlohmann::json> messages;
    bool is_slow = false;
    bool dropped = false;
};

TEST(WatchHub, ReadsOnlyWhileSomebodyWatches) {
    test::TempFolder folder;
    WatchHub hub(folder.path());
    EXPECT_TRUE(hub.empty());
    hub.look(TimePoint{});
    const auto client = std::make_shared<Client>();
    ASSERT_TRUE(hub.add(client, {}));
    ASSERT_EQ(client->messages.size(), 1U);
    EXPECT_EQ(client->messages[0]["type"], "ready");
    hub.look(TimePoint{});
    EXPECT_EQ(client->messages.size(), 1U) << "nothing has ended";
    hub.remove(client);
    EXPECT_TRUE(hub.empty());
}

TEST(WatchHub, ShowsToEachWhatItWatches) {
    test::TempFolder folder;
    const auto opened = history::HistoryFile::open(
        {.folder = folder.path(), .module = "egress", .node = NodeNumber{10}, .records = 5000});
    ASSERT_NE(opened.file, nullptr);
    history::HistoryWriter writer(*opened.file);
    WatchHub hub(folder.path());
    const auto all = std::make_shared<Client>();
    const auto some = std::make_shared<Client>();
    ASSERT_TRUE(hub.add(all, {.per_second = 2}));
    ASSERT_TRUE(hub.add(some, {.destination = bp::EidPattern::parse("ipn:99.*")}));
    for (std::uint64_t i = 0; i < 5; ++i)
        writer.add({.source = bp::ipn_eid(10, 1),
                    .destination = bp::ipn_eid(20, 1),
                    .creation_time = 5,
                    .sequence = i},
                   {.time = 1000 + i});
    hub.look(TimePoint(seconds(10)));
    ASSERT_EQ(all->messages.size(), 2U);
    EXPECT_EQ(all->messages[1]["type"], "bundles");
    ASSERT_EQ(all->messages[1]["bundles"].size(), 2U);
    EXPECT_EQ(all->messages[1]["bundles"][1]["id"], "ipn:10.1/5/1");
    EXPECT_EQ(all->messages[1]["beyondLimit"], 3);
    EXPECT_EQ(all->messages[1]["missed"], 0);
    EXPECT_EQ(some->messages.size(), 1U);
}

TEST(WatchHub, IsBounded) {
    test::TempFolder folder;
    WatchHub hub(folder.path());
    for (std::size_t i = 0; i < WatchHub::kMostWatchers; ++i)
        EXPECT_TRUE(hub.add(std::make_shared<Client>(), {}));
    EXPECT_FALSE(hub.add(std::make_shared<Client>(), {}));
}

TEST(WatchHub, DropsAClientThatDoesNotRead) {
    test::TempFolder folder;
    WatchHub hub(folder.path());
    const auto slow = std::make_shared<Client>();
    const auto quick = std::make_shared<Client>();
    ASSERT_TRUE(hub.add(slow, {}) && hub.add(quick, {}));
    slow->is_slow = true;
    hub.look(TimePoint{});
    EXPECT_TRUE(slow->dropped);
    EXPECT_FALSE(quick->dropped);
    EXPECT_FALSE(hub.empty());
}

}  // namespace
}  // namespace farlink::telemetry::watch_hub_test
