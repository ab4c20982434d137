// SPDX-License-Identifier: Apache-2.0
// Fragments that storage joins: which go there, what becomes of those that it refuses, and the
// bundles for services of this node that it gives back.
#include "common/bp/fragment.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v7/block.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::fragments_test {
namespace {

class IngressFragments : public IngressFixture {
protected:
    static constexpr std::uint64_t kEcho = 2047;

    /// Both fragments of a bundle to that node.
    std::pair<Bytes, Bytes> halves(std::uint64_t node, std::uint64_t service) {
        whole_ = bundle(node, 200);
        whole_.to = bp::ipn_eid(node, service);
        return bp::fragment(whole_.octets(), 100).value();
    }
    /// Storage releases the bundle as it has joined it: in two slices.
    BatchPtr joined() {
        const Bytes octets = whole_.octets();
        const auto view = bp::parse(std::array{ByteView(octets)}).value();
        const SlabRef slab = storage_slabs_.acquire_sized(1000);
        std::ranges::copy(octets, slab->data);
        BatchPtr batch = storage_batches_.acquire();
        batch->link = kServicesLink;
        BatchedBundle one;
        one.size = octets.size();
        one.slice_count = 2;
        one.primary_end = view.primary_end;
        one.head_end = view.head_end;
        batch->slices.emplace_back(slab->data, view.payload_offset);
        batch->slices.emplace_back(slab->data + view.payload_offset,
                                   octets.size() - view.payload_offset);
        batch->bundles.push_back(one);
        batch->pin(slab);
        return batch;
    }
    /// The outcome of a batch that storage has released.
    Outcome release(BatchPtr batch) {
        core().handle(bus::ReleaseBatch{std::move(batch)}, now);
        Outcome outcome = Outcome::kPending;
        while (auto out = core().poll_message()) {
            if (auto *answer = std::get_if<bus::BatchOutcome>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kStorage);
                outcome = answer->batch->uniform;
                storage_batches_.recycle(std::move(answer->batch));
            } else if (auto *echo = std::get_if<bus::StoreBatch>(&out->message)) {
                at_storage.push_back(std::move(echo->batch));
            }
        }
        storage.increment(telemetry::StorageCounter::kJoined);
        return outcome;
    }
    test::TestBundle whole_;

private:
    SlabPool storage_slabs_{kSlab, 1024 * 1024};
    BatchPool storage_batches_{BatchOwner::kStorage};
};

TEST_F(IngressFragments, ForAServiceGoToStorage) {
    all_up();
    const auto [first, second] = halves(10, kEcho);
    receive({first, second});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(content(*at_storage.front()), (std::vector{first, second}));
    EXPECT_EQ(value(IngressCounter::kDelivered), 0U);
}

TEST_F(IngressFragments, WithoutAServiceAreDeleted) {
    all_up();
    receive({halves(10, 99).first});
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(value(IngressCounter::kDeletedNoService), 1U);
}

TEST_F(IngressFragments, InTransitLeaveByTheirLinkUnlessTheyAreJoined) {
    all_up();
    receive({halves(2, 1).first});
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_TRUE(at_storage.empty());
}

TEST_F(IngressFragments, InTransitGoToStorageWhereTheyAreJoined) {
    config.routing.reassemble = {"ipn:2.*"};
    all_up();
    receive({bundle(2).octets(), halves(2, 1).first, halves(3, 1).first});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage.front()->bundles.size(), 1U);
    EXPECT_EQ(at_egress.size(), 2U) << "whole bundles and other destinations cut through";
}

TEST_F(IngressFragments, AChangeOfTheConfigurationCounts) {
    all_up();
    config.routing.reassemble = {"ipn:2.*"};
    core().set_settings(config);
    receive({halves(2, 1).first});
    EXPECT_EQ(at_storage.size(), 1U);
}

TEST_F(IngressFragments, TheWholeBundleIsDeliveredOnce) {
    all_up();
    (void)halves(10, kEcho);
    EXPECT_EQ(release(joined()), Outcome::kSent);
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    // Storage may have been killed before it noted that the bundle was delivered.
    EXPECT_EQ(release(joined()), Outcome::kSent);
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(IngressCounter::kDuplicatesDelivered), 1U);
}

TEST_F(IngressFragments, OneThatContradictsIsRefused) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    receive({halves(10, kEcho).first});
    storage_answers(Outcome::kContradicts);
    EXPECT_EQ(value(IngressCounter::kDeletedContradiction), 1U);
    const auto dispositions = core().upstreams().poll_disposition();
    ASSERT_TRUE(dispositions.has_value());
    EXPECT_EQ(dispositions->disposition, TransferDisposition::kNotAcceptable);
}

TEST_F(IngressFragments, OneBeyondALimitMayComeAgain) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    receive({halves(10, kEcho).first});
    storage_answers(Outcome::kTooManyFragments);
    EXPECT_EQ(value(IngressCounter::kDeletedFragmentLimit), 1U);
    const auto dispositions = core().upstreams().poll_disposition();
    ASSERT_TRUE(dispositions.has_value());
    EXPECT_EQ(dispositions->disposition, TransferDisposition::kNoResources);
}

}  // namespace
}  // namespace farlink::ingress::fragments_test
