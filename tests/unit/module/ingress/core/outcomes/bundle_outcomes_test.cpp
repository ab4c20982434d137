// SPDX-License-Identifier: Apache-2.0
#include "common/bp/parse.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "tests/support/custody_bundle.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::bundle_outcomes_test {
namespace {

using bp::v6::AggregateCustodySignal;
using test::CustodyBundle;

class IngressCustody : public IngressFixture {
protected:
    static CustodyBundle custody_bundle(std::uint64_t to, std::uint64_t service = 1) {
        CustodyBundle made;
        made.to = bp::ipn_eid(to, service);
        made.created_s = test::kStart / 1000;
        return made;
    }
    static Bytes record_bundle(const Bytes &record, std::uint64_t sequence = 1) {
        bp::v6::PrimaryFields primary;
        primary.flags = bp::v6::kSingletonDestination | bp::v6::kIsAdminRecord;
        primary.destination = bp::ipn_eid(10, 0);
        primary.source = bp::ipn_eid(2, 0);
        primary.creation_time_s = test::kStart / 1000;
        primary.sequence = sequence;
        primary.lifetime_s = 3600;
        bp::v6::Builder builder(primary);
        builder.add_block(bp::v6::kPayloadBlock, 0, record);
        return std::move(builder).finish();
    }
    /// The only bundle at egress, an administrative record.
    Bytes only_record() {
        EXPECT_EQ(at_egress.size(), 1U);
        const Bytes octets = content(*at_egress.front()).front();
        const bp::BundleView view = bp::parse(std::array{ByteView(octets)}).value();
        EXPECT_TRUE(view.is_admin_record);
        EXPECT_EQ(view.source, bp::ipn_eid(10, 0));
        const auto payload = ByteView(octets).subspan(view.payload_offset, view.payload_length);
        egress_answers(Outcome::kSent);
        return {payload.begin(), payload.end()};
    }
};

TEST_F(IngressCustody, WhatAsksForCustodyIsNeverCutThrough) {
    all_up();
    CustodyBundle plain = custody_bundle(20);
    plain.flags = bp::v6::kSingletonDestination;
    plain.sequence = 2;
    receive({plain.octets()});
    EXPECT_EQ(at_egress.size(), 1U);
    receive({custody_bundle(20).octets()});
    ASSERT_EQ(at_storage.size(), 1U);
    ASSERT_EQ(at_storage.front()->bundles.size(), 1U);
    const BatchedBundle &stored = at_storage.front()->bundles.front();
    EXPECT_EQ(stored.requests, kRequestCustody);
    EXPECT_GT(stored.head_end, 0U);
}

TEST_F(IngressCustody, WhatStorageRefusesStaysWithItsCustodian) {
    all_up();
    receive({custody_bundle(20).octets()});
    storage_answers(Outcome::kNoSpace);
    EXPECT_TRUE(core().idle());
    EXPECT_EQ(value(IngressCounter::kDeletedNoResources), 1U);
    receive({custody_bundle(20).octets()});
    EXPECT_TRUE(at_storage.empty()) << "storage is left alone for a while";
    advance(milliseconds(100));
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_TRUE(at_storage.front()->resumes);
    storage_answers(Outcome::kStored);
}

TEST_F(IngressCustody, WhatNobodyElseHasIsKept) {
    all_up();
    CustodyBundle orphan = custody_bundle(20);
    orphan.custodian = {};
    receive({orphan.octets()});
    storage_answers(Outcome::kNoSpace);
    EXPECT_EQ(value(IngressCounter::kInFlight), 1U);
    advance(milliseconds(100));
    storage_answers(Outcome::kStored);
}

TEST_F(IngressCustody, BothKindsOfSignalsGoToStorage) {
    all_up();
    const Bytes one = encode(custody_bundle(20).signal(true));
    const Bytes many = encode(AggregateCustodySignal{true, 0, {{1, 5}}});
    receive({record_bundle(one)});
    ASSERT_EQ(custody_records.size(), 1U);
    EXPECT_EQ(as_text(custody_records[0].source), "ipn:2.0");
    EXPECT_EQ(custody_records[0].record, one);
    receive({record_bundle(one)});
    ASSERT_EQ(custody_records.size(), 2U) << "storage knows what a repeat means";
    receive({record_bundle(many, 1)});
    ASSERT_EQ(custody_records.size(), 3U) << "others give all records of a second one identity";
    EXPECT_EQ(custody_records[2].record, many);
    EXPECT_EQ(value(IngressCounter::kDelivered), 3U);
}

TEST_F(IngressCustody, WhoseLinkASignalCameByIsToldWhereItIsCertain) {
    all_up();
    receive({record_bundle(encode(AggregateCustodySignal{true, 0, {{1, 5}}}))});
    core().upstreams().set_neighbour(kUp, NodeNumber{2});
    receive({record_bundle(encode(AggregateCustodySignal{true, 0, {{6, 9}}}), 2)});
    ASSERT_EQ(custody_records.size(), 2U);
    EXPECT_EQ(custody_records[0].sender, NodeNumber{});
    EXPECT_EQ(custody_records[1].sender, NodeNumber{2});
}

TEST_F(IngressCustody, StoragesRecordsTravelAsBundles) {
    all_up();
    const Bytes record = encode(AggregateCustodySignal{true, 0, {{1, 5}}});
    const std::string to = "ipn:2.0";
    core().handle(bus::OriginateRequest{{to.begin(), to.end()}, record, kDtnNever}, now);
    collect();
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress.front()->bundles.front().priority, Priority::kExpedited);
    EXPECT_EQ(only_record(), record);
    EXPECT_EQ(value(IngressCounter::kOriginated), 1U);
    const std::string nobody = "nobody";
    core().handle(bus::OriginateRequest{{nobody.begin(), nobody.end()}, record, kDtnNever}, now);
    collect();
    EXPECT_TRUE(at_egress.empty());
}

// A signal for a custodian that is gone must not fill the store for longer than anybody needs it.
TEST_F(IngressCustody, ARecordLivesNoLongerThanItIsNeeded) {
    all_up();
    const std::string to = "ipn:2.0";
    const Bytes record = encode(AggregateCustodySignal{true, 0, {{1, 5}}});
    const auto lifetime = [&](DtnTime needed_until) {
        core().handle(bus::OriginateRequest{{to.begin(), to.end()}, record, needed_until}, now);
        collect();
        const Bytes octets = content(*at_egress.back()).front();
        egress_answers(Outcome::kSent);
        return bp::parse(std::array{ByteView(octets)}).value().lifetime_ms / 1000;
    };
    EXPECT_NEAR(static_cast<double>(lifetime(test::kStart + 600'000)), 600, 2);
    EXPECT_EQ(lifetime(0), 60U) << "clocks differ";
    EXPECT_EQ(lifetime(kDtnNever), 24U * 3600);
}

TEST_F(IngressCustody, DeliveryEndsCustodyEachTime) {
    all_up();
    CustodyBundle bundle = custody_bundle(10, config.echo_service);
    bundle.from = bp::ipn_eid(2, config.echo_service);  // which is not answered
    for (int time = 0; time < 2; ++time) {
        receive({bundle.octets()});
        const auto signal = bp::v6::decode_custody_signal(only_record()).value();
        EXPECT_TRUE(signal.succeeded);
        EXPECT_EQ(signal.subject, bundle.signal(true).subject);
    }
    EXPECT_EQ(value(IngressCounter::kDuplicatesDelivered), 1U);

    bundle = custody_bundle(10, 99);
    bundle.sequence = 2;
    receive({bundle.octets()});
    const auto refusal = bp::v6::decode_custody_signal(only_record()).value();
    EXPECT_FALSE(refusal.succeeded);
    EXPECT_EQ(refusal.reason, 5) << "nobody is there";
}

TEST_F(IngressCustody, DeliveriesAreAnsweredTogether) {
    all_up();
    for (std::uint64_t id = 30; id < 33; ++id) {
        CustodyBundle bundle = custody_bundle(10, config.echo_service);
        bundle.from = bp::ipn_eid(2, config.echo_service);
        bundle.sequence = bundle.custody_id.emplace(id);
        receive({bundle.octets()});
    }
    EXPECT_TRUE(at_egress.empty());
    EXPECT_EQ(core().next_timeout(), now + seconds(1));
    advance(seconds(1));
    EXPECT_EQ(bp::v6::decode_aggregate_custody_signal(only_record()).value(),
              (AggregateCustodySignal{true, 0, {{30, 32}}}));
    EXPECT_EQ(core().next_timeout(), kNever);
}

}  // namespace
}  // namespace farlink::ingress::bundle_outcomes_test
