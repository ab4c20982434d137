// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/custody_signal_collector.hpp"

#include <gtest/gtest.h>

#include "tests/support/custody_bundle.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::bp::v6::custody_signal_collector_test {
namespace {

using test::CustodyBundle;
using test::Json;

constexpr DtnTime kToday = 757000100500;

class V6CustodySignals : public testing::Test {
protected:
    void add(const Bytes &octets, CustodyAnswer answer = {}) {
        const BundleView view = parse(std::array{ByteView(octets)}).value();
        signals.add(view, ByteView(octets).first(view.head_end), answer, kToday, now);
    }
    void add(std::uint64_t id, CustodyAnswer answer = {}, std::uint64_t custodian = 2) {
        CustodyBundle bundle;
        bundle.custody_id = id;
        bundle.custodian = ipn_eid(custodian, 0);
        add(bundle.octets(), answer);
    }
    std::vector<CustodySignalCollector::Signal> all() {
        std::vector<CustodySignalCollector::Signal> polled;
        while (auto signal = signals.poll(now)) polled.push_back(std::move(*signal));
        return polled;
    }
    static AggregateCustodySignal read(const CustodySignalCollector::Signal &signal) {
        return decode_aggregate_custody_signal(signal.record).value();
    }

    TimePoint now{seconds(100)};
    CustodySignalCollector signals{Eid(15, 0), {}};
};

TEST_F(V6CustodySignals, ABundleWithoutAnIdIsAnsweredAtOnce) {
    Json vector;
    const Json vectors = test::load_vectors("bpv6_bundles.json");
    for (const Json &each : vectors["processing_cases"])
        if (each["id"] == "v6-cust-1") vector = each;
    add(test::hex_of(vector["input_hex"]));
    const auto polled = all();
    ASSERT_EQ(polled.size(), 1U);
    const Json expected = vector["expected"]["custody_signal"];
    EXPECT_EQ(polled[0].destination.to_string(), expected["destination"]);
    EXPECT_EQ(polled[0].record[0] >> 4, expected["type"]);
    EXPECT_FALSE(polled[0].aggregate);
    const CustodySignal signal = decode_custody_signal(polled[0].record).value();
    EXPECT_EQ(signal.succeeded, expected["succeeded"]);
    EXPECT_EQ(signal.reason, expected["reason"]);
    EXPECT_EQ(signal.subject.source.to_string(), expected["subject_source"]);
    EXPECT_EQ(signal.subject.creation_time_s, expected["subject_creation_time"]);
    EXPECT_EQ(signal.subject.sequence, expected["subject_sequence"]);
    // The very octets of the signal in vector v6-cs-1, which was made at that time.
    EXPECT_EQ(test::to_hex(polled[0].record),
              "208082e8fbcf2481eeb5ca0082e8fbce40030869706e3a31302e31");
}

TEST_F(V6CustodySignals, ManyBundlesWithIdsShareOne) {
    for (std::uint64_t id = 0; id <= 255; ++id) add(id);
    for (std::uint64_t id = 512; id <= 782; ++id) add(id);
    EXPECT_TRUE(all().empty()) << "others may follow";
    EXPECT_EQ(signals.next_timeout(), now + seconds(1));
    now += seconds(1);
    const auto polled = all();
    ASSERT_EQ(polled.size(), 1U);
    EXPECT_TRUE(polled[0].aggregate);
    EXPECT_EQ(polled[0].destination, Eid(2, 0));
    EXPECT_EQ(test::to_hex(polled[0].record), "40800082008201820f") << "vector v6-acs-1";
    EXPECT_EQ(signals.next_timeout(), kNever);
}

TEST_F(V6CustodySignals, ByCustodianStatusAndReason) {
    add(1);
    add(2, {false, CustodyReason::kDepletedStorage});
    add(3, {false, CustodyReason::kRedundantReception});
    add(4, {}, 3);
    add(5);
    now += seconds(1);
    const auto polled = all();
    ASSERT_EQ(polled.size(), 4U);
    EXPECT_EQ(read(polled[0]), (AggregateCustodySignal{true, 0, {{1, 1}, {5, 5}}}));
    EXPECT_EQ(read(polled[1]), (AggregateCustodySignal{false, 4, {{2, 2}}}));
    EXPECT_EQ(read(polled[2]), (AggregateCustodySignal{false, 3, {{3, 3}}}));
    EXPECT_EQ(read(polled[3]), (AggregateCustodySignal{true, 0, {{4, 4}}}));
    EXPECT_EQ(polled[3].destination, Eid(3, 0));
}

TEST_F(V6CustodySignals, AFullOneLeavesAtOnce) {
    for (std::uint64_t id = 0; id < 250; ++id) add(2 * id);
    auto polled = all();
    ASSERT_EQ(polled.size(), 2U);
    EXPECT_EQ(read(polled[0]).ranges.size(), 100U);
    EXPECT_EQ(read(polled[1]).ranges.size(), 100U);
    signals.expedite();
    polled = all();
    ASSERT_EQ(polled.size(), 1U);
    EXPECT_EQ(read(polled[0]).ranges.size(), 50U);
}

TEST_F(V6CustodySignals, NobodyIsToldWhoDoesNotExistOrIsThisNode) {
    add(1, {}, 15);
    CustodyBundle bundle;
    bundle.custodian = {};
    add(bundle.octets());
    signals.expedite();
    EXPECT_TRUE(all().empty());
}

TEST_F(V6CustodySignals, WithoutAggregationEachHasItsOwn) {
    signals = CustodySignalCollector(Eid(15, 0), {.aggregate = false});
    add(1);
    add(2);
    EXPECT_EQ(all().size(), 2U);
}

TEST_F(V6CustodySignals, ManyCustodiansDoNotFillTheMemory) {
    for (std::uint64_t node = 100; node < 1100; ++node) add(node, {}, node);
    EXPECT_GE(all().size(), 700U);
    signals.expedite();
    EXPECT_LE(all().size(), 300U);
}

TEST_F(V6CustodySignals, ASignalIsNeededUntilTheLastOfItsBundlesEnds) {
    CustodyBundle bundle;
    for (const std::uint64_t created_s : {1000U, 5000U, 3000U}) {
        bundle.custody_id = created_s;
        bundle.created_s = created_s;
        add(bundle.octets());
    }
    signals.expedite();
    const auto polled = all();
    ASSERT_EQ(polled.size(), 1U);
    bundle.created_s = 5000;
    const Bytes last = bundle.octets();
    const DtnTime end = parse(std::array{ByteView(last)}).value().expiry(kToday);
    EXPECT_EQ(polled[0].needed_until, end);
}

}  // namespace
}  // namespace farlink::bp::v6::custody_signal_collector_test
