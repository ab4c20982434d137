// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/counter_table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"
#include "common/telemetry/storage_counters.hpp"

namespace farlink::telemetry::counter_table_test {
namespace {

enum class Fruit : std::size_t { kApples, kBad, kPears = kBad + 3, kCount_ };

constexpr std::array<CounterRow<Fruit>, 3> kFruits{{
    {Fruit::kApples, {"fruit_apples", "pieces", "Apples."}},
    {Fruit::kBad, {"fruit_bad", "pieces", "Bad ones, by reason.", false, 3}},
    {Fruit::kPears, {"fruit_pears", "pieces", "Pears now.", true}},
}};
static_assert(describes_all(kFruits));

constexpr std::array<CounterRow<Fruit>, 2> kNoPears{{kFruits[0], kFruits[1]}};
static_assert(!describes_all(kNoPears));
constexpr std::array<CounterRow<Fruit>, 3> kSwapped{{kFruits[1], kFruits[0], kFruits[2]}};
static_assert(!describes_all(kSwapped));

TEST(CounterTable, CountsByNameAndByFamilyMember) {
    Counters<Fruit> counters;
    counters.increment(Fruit::kApples);
    counters.add(Fruit::kApples, 4);
    counters.increment(Fruit::kBad, 2);
    counters.set(Fruit::kPears, 9);
    counters.subtract(Fruit::kPears, 2);
    EXPECT_EQ(counters.value(Fruit::kApples), 5U);
    EXPECT_EQ(counters.value(Fruit::kBad, 2), 1U);
    EXPECT_EQ(counters.snapshot(), (std::vector<std::uint64_t>{5, 0, 0, 1, 7}));
}

TEST(CounterTable, SpreadsFamiliesIntoNames) {
    constexpr std::array<std::string_view, 2> kReasons{"worm", "mould"};
    const std::array families{FamilyLabels{"fruit_bad", kReasons}};
    const auto names = counter_names(kFruits, families);
    ASSERT_EQ(names.size(), kCounterSlots<Fruit>);
    EXPECT_EQ(names[0].name, "fruit_apples");
    EXPECT_EQ(names[1].name, "fruit_bad_worm");
    EXPECT_EQ(names[2].name, "fruit_bad_mould");
    EXPECT_EQ(names[3].name, "fruit_bad_2") << "a member without a label gets its number";
    EXPECT_EQ(names[4].name, "fruit_pears");
    EXPECT_TRUE(names[4].gauge);
    EXPECT_FALSE(names[1].gauge);
}

TEST(CounterTable, EveryNameOfTheNodeIsUniqueAndBeginsWithItsModule) {
    std::set<std::string> seen;
    std::set<std::string> members;
    const auto check = [&](const std::vector<NamedCounter> &names, std::string_view module) {
        for (const NamedCounter &counter : names) {
            EXPECT_TRUE(counter.name.starts_with(module)) << counter.name;
            EXPECT_TRUE(seen.insert(counter.name).second) << counter.name << " occurs twice";
            EXPECT_TRUE(members.insert(counter.member).second) << counter.member;
        }
    };
    check(counter_names(kIngressCounters), "ingress_");
    check(counter_names(kEgressCounters), "egress_");
    check(counter_names(kStorageCounters), "storage_");
}

TEST(CounterTable, AMemberOfJsonIsTheNameInCamelCase) {
    EXPECT_EQ(member_name("ingress_received_bytes"), "ingressReceivedBytes");
    EXPECT_EQ(member_name("sent"), "sent");
    EXPECT_EQ(member_name("link_fault_tcpcl_version_3"), "linkFaultTcpclVersion3");
    std::vector<NamedCounter> names;
    append_names(names, {.name = "departure", .unit = "x", .help = "y", .slots = 2}, {});
    EXPECT_EQ(names[1].member, "departure1");
}

TEST(CounterTableDeathTest, AGaugeNeverFallsBelowZero) {
    Counters<Fruit> counters;
    counters.set(Fruit::kPears, 1);
    EXPECT_DEATH(counters.subtract(Fruit::kPears, 2), "broken invariant");
}

template <class Table>
void check_metrics(const Table &table, std::set<std::string_view> &seen) {
    for (const auto &row : table) {
        const CounterInfo &info = row.info;
        if (info.metric.empty()) continue;
        EXPECT_NE(info.metric.ends_with("_total"), info.gauge) << info.metric;
        EXPECT_TRUE(seen.insert(info.metric).second || !info.reason.empty()) << info.metric;
        EXPECT_EQ(info.metric.ends_with("_deleted_bundles_total"), !info.reason.empty())
            << info.metric;
        EXPECT_EQ(info.name.find("deleted_") != std::string_view::npos, !info.reason.empty())
            << info.name;
    }
}

TEST(CounterTable, EachMetricIsUniqueAndNamedByItsKind) {
    std::set<std::string_view> seen;
    check_metrics(kIngressCounters, seen);
    check_metrics(kEgressCounters, seen);
    check_metrics(kStorageCounters, seen);
    check_metrics(kLinkCounters, seen);
    static_assert(counter_info<StorageCounter::kCustodyHeld>().json.custody == "held");
}

}  // namespace
}  // namespace farlink::telemetry::counter_table_test
