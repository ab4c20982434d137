// SPDX-License-Identifier: Apache-2.0
// An ingress core whose neighbours are played by the test: it answers for egress and for storage.
// Node 10 has a link to node 2 and one to node 3; node 20 lies behind node 2.
// One thread. At the end all batches are answered, the ledger balances and no memory is held.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <utility>

#include "common/bp/flow.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/status_reports.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ledger.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "tests/support/test_batch.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::ingress {

using Outcomes = std::vector<Outcome>;

class IngressFixture : public testing::Test {
protected:
    static constexpr LinkId kLinkA{1};  ///< to node 2
    static constexpr LinkId kLinkB{2};  ///< to node 3
    static constexpr UpstreamId kUp{7};
    static constexpr UpstreamId kUp2{8};
    static constexpr std::uint32_t kSlab = 64 * 1024;
    static constexpr std::uint64_t kFirstArrival = 1000;

    IngressFixture() {
        config.node = NodeNumber{10};
        config.inducts.resize(1);
        config.inducts[0].id = LinkId{0};
        config.outducts.resize(2);
        for (std::uint32_t i = 0; i < 2; ++i) {
            config.outducts[i].id = LinkId{1 + i};
            config.outducts[i].next_hop = NodeNumber{2 + i};
            config.outducts[i].max_in_flight_bytes = 1'000'000;
            config.outducts[i].max_in_flight_bundles = 1000;
        }
        config.max_pause = seconds(1);
        config.storage.capacity_bytes = 1 << 30;
    }
    /// A window of one batch by link A.
    void narrow() { config.outducts[0].max_in_flight_bytes = 1; }
    static std::vector<std::uint64_t> numbers(std::uint64_t from, std::size_t count) {
        std::vector<std::uint64_t> list(count);
        for (std::uint64_t &each : list) each = from++;
        return list;
    }

    void TearDown() override {
        if (!core_) return;
        finish();
        // A pause for a flow that catches up ends by itself.
        if (core_->next_timeout() != kNever)
            advance(std::max(Duration{}, core_->next_timeout() - now));
        collect();
        EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
        EXPECT_EQ(value(IngressCounter::kInFlightBytes), 0U);
        EXPECT_TRUE(core_->idle());
        const telemetry::Ledger ledger =
            telemetry::Ledger::from(core_->counters().values(), egress.values(), storage.values());
        EXPECT_TRUE(ledger.balanced()) << ledger.to_table();
        EXPECT_EQ(pool.pinned_bytes(), 0U);
        for (const auto &[upstream, paused] : paused_) EXPECT_FALSE(paused);
    }

    /// Made at its first use, so that a test may change the configuration before.
    IngressCore &core() {
        if (!core_) core_.emplace(config, pool, test::kClock, kFirstArrival);
        return *core_;
    }
    void route(std::uint64_t destination, LinkId link) {
        routes_[destination] = link;
        bus::RouteUpdate update;
        for (const auto &[node, by] : routes_)
            update.routes.push_back({NodeNumber{node}, {{NodeNumber{by.value() + 1}, by, 0}}});
        core().handle(update, now);
    }
    void link_up(LinkId link) {
        bus::LinkUp event;
        event.link = link;
        event.neighbour = NodeNumber{2ULL + link.value() - kLinkA.value()};
        core().handle(event, now);
        collect();
    }
    void link_down(LinkId link) {
        bus::LinkDown event;
        event.link = link;
        core().handle(event, now);
        collect();
    }
    /// Routes to nodes 2, 20 and 3, both links up.
    void all_up() {
        route(2, kLinkA);
        route(20, kLinkA);
        route(3, kLinkB);
        link_up(kLinkA);
        link_up(kLinkB);
    }

    test::TestBundle bundle(std::uint64_t node = 2, std::size_t payload_bytes = 20) {
        test::TestBundle made;
        made.to = bp::ipn_eid(node, 1);
        made.sequence = next_sequence_++;
        made.payload_bytes = payload_bytes;
        return made;
    }
    std::vector<Bytes> bundles(std::size_t count, std::uint64_t node = 2,
                               std::size_t payload_bytes = 20) {
        std::vector<Bytes> made;
        for (; count > 0; --count) made.push_back(bundle(node, payload_bytes).octets());
        return made;
    }

    /// One read of an upstream that completed these bundles, one behind another in slabs.
    void receive(const std::vector<Bytes> &octets, UpstreamId from = kUp) {
        ReceivedBundles received;
        SlabRef slab;
        std::size_t used = 0;
        for (const Bytes &each : octets) {
            const auto size = static_cast<std::uint32_t>(each.size());
            if (!slab || slab->capacity - used < size) {
                slab = size > kSlab ? pool.acquire_sized(size) : pool.acquire();
                ASSERT_TRUE(slab);
                used = 0;
            }
            std::ranges::copy(each, slab->data + used);
            received.add(slab, {slab->data + used, size});
            used += size;
        }
        core().handle_bundles(from, received, now);
        received.clear();
        slab.reset();
        collect();
    }
    /// Bundles that an application of this node has sent.
    void receive_from_application(const std::vector<Bytes> &octets) {
        BatchPtr batch = maker_.make(BatchOwner::kApplications, kNoLink, octets);
        batch->upstream = kUp2;
        core().handle(bus::ArrivedBatch{std::move(batch)}, now);
        collect();
    }
    /// One bundle in slices that end at `cuts`, each in a slab of its own.
    void receive_sliced(const Bytes &octets, std::vector<std::size_t> cuts) {
        cuts.push_back(octets.size());
        ReceivedBundles received;
        std::size_t from = 0;
        for (const std::size_t cut : cuts) {
            const SlabRef slab = pool.acquire_sized(static_cast<std::uint32_t>(cut - from));
            std::ranges::copy(ByteView(octets).subspan(from, cut - from), slab->data);
            received.slices.emplace_back(slab->data, cut - from);
            received.slabs.push_back(slab);
            from = cut;
        }
        const auto count = static_cast<std::uint32_t>(cuts.size());
        received.bundles.push_back({octets.size(), 0, count, 0, count});
        core().handle_bundles(kUp, received, now);
        received.clear();
        collect();
    }

    /// Takes what the core wants done: batches to where they are lent, pauses to `paused()`.
    void collect() {
        while (auto out = core().poll_message()) {
            if (auto *forward = std::get_if<bus::ForwardBatch>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kEgress);
                at_egress.push_back(std::move(forward->batch));
            } else if (auto *store = std::get_if<bus::StoreBatch>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kStorage);
                at_storage.push_back(std::move(store->batch));
            } else if (auto *record = std::get_if<bus::CustodyRecord>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kStorage);
                custody_records.push_back(std::move(*record));
            } else if (auto *reply = std::get_if<bus::PingReply>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kSupervisor);
                ping_replies.push_back(std::move(*reply));
            } else if (const auto *published = std::get_if<bus::CopyOutcomes>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kStorage);
                fates.insert(fates.end(), published->fates.begin(), published->fates.end());
            } else if (std::holds_alternative<bus::BatchOutcome>(out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kApplications) << "what it lent comes back";
            } else {
                ADD_FAILURE() << "an unexpected message";
            }
        }
        while (const auto order = core().upstreams().poll_order()) {
            EXPECT_NE(paused_[order->upstream], order->paused) << "an order that changes nothing";
            paused_[order->upstream] = order->paused;
        }
    }
    [[nodiscard]] bool paused(UpstreamId upstream = kUp) { return paused_[upstream]; }
    /// The session is gone: nobody resumes it.
    void close(UpstreamId upstream) {
        core().handle_upstream_closed(upstream, now);
        paused_.erase(upstream);
    }

    /// Answers for egress: the same for every bundle of its oldest batch.
    void egress_answers(Outcome outcome) {
        ASSERT_FALSE(at_egress.empty());
        at_egress.front()->uniform = outcome;
        count(*at_egress.front());
        give_back(at_egress);
    }
    void egress_answers(const Outcomes &outcomes) {
        ASSERT_FALSE(at_egress.empty());
        set_each(*at_egress.front(), outcomes);
        give_back(at_egress);
    }
    void storage_answers(Outcome outcome) {
        ASSERT_FALSE(at_storage.empty());
        storage_answers(Outcomes(at_storage.front()->bundles.size(), outcome));
    }
    void storage_answers(const Outcomes &outcomes) {
        ASSERT_FALSE(at_storage.empty());
        for (const BatchedBundle &each : at_storage.front()->bundles) ++taken_[each.flow];
        set_each(*at_storage.front(), outcomes);
        give_back(at_storage);
    }
    /// Storage has sent all it had for `to`.
    void storage_ran_empty(const bp::EidView &to) {
        const std::uint64_t flow = bp::flow_key(to, Priority::kNormal);
        core().handle(bus::Backlog{flow, 0, std::exchange(taken_[flow], 0)}, now);
        collect();
    }
    void advance(Duration by) {
        now += by;
        core().handle_timeout(now);
        collect();
    }
    /// Sends and stores whatever is still under way.
    void finish() {
        for (int round = 0; round < 100; ++round) {
            collect();
            while (!at_egress.empty()) egress_answers(Outcome::kSent);
            while (!at_storage.empty()) storage_answers(Outcome::kStored);
            if (core().idle()) return;
            if (core().next_timeout() != kNever)
                advance(std::max(Duration{}, core().next_timeout() - now));
        }
    }
    [[nodiscard]] std::uint64_t value(IngressCounter counter) {
        return core().counters().value(counter);
    }
    [[nodiscard]] static std::vector<Bytes> content(const Batch &batch) {
        std::vector<Bytes> octets;
        for (const BatchedBundle &each : batch.bundles)
            octets.push_back(test::joined(batch.slices_of(each)));
        return octets;
    }
    [[nodiscard]] static std::vector<std::uint64_t> arrivals(const Batch &batch) {
        std::vector<std::uint64_t> numbers;
        for (const BatchedBundle &each : batch.bundles) numbers.push_back(each.arrival);
        return numbers;
    }

    config::NodeConfig config;
    SlabPool pool{kSlab, 64 * 1024 * 1024};
    TimePoint now = test::at_ms(1000);
    std::deque<BatchPtr> at_egress;
    std::deque<BatchPtr> at_storage;
    std::vector<bus::CustodyRecord> custody_records;
    std::vector<bus::CopyFate> fates;
    std::vector<bus::PingReply> ping_replies;
    telemetry::EgressCounters egress;
    telemetry::StorageCounters storage;

    /// Of the status report that is the first bundle of a batch.
    [[nodiscard]] bp::ReportReason reason_of(const Batch &batch) {
        const Bytes octets = content(batch).front();
        const bp::BundleView view = view_of(batch);
        const auto report = bp::v7::decode_status_report(
            ByteView(octets).subspan(view.payload_offset, view.payload_length));
        EXPECT_TRUE(report);
        return report ? static_cast<bp::ReportReason>(report->reason) : bp::ReportReason::kNone;
    }
    [[nodiscard]] std::uint64_t malformed(bp::ParseError reason) {
        return core().counters().value(IngressCounter::kMalformed,
                                       static_cast<std::size_t>(reason));
    }
    [[nodiscard]] bp::BundleView view_of(const Batch &batch, std::size_t index = 0) {
        const auto view = bp::parse(batch.slices_of(batch.bundles[index]));
        EXPECT_TRUE(view.has_value());
        return view.value_or(bp::BundleView{});
    }

private:
    void set_each(Batch &batch, const Outcomes &outcomes) {
        ASSERT_EQ(batch.bundles.size(), outcomes.size());
        for (std::size_t i = 0; i < outcomes.size(); ++i) batch.bundles[i].outcome = outcomes[i];
        count(batch);
    }
    /// What the borrower counts (ledger.hpp).
    void count(const Batch &batch) {
        for (const BatchedBundle &each : batch.bundles) {
            const Outcome outcome = batch.outcome_of(each);
            if (outcome == Outcome::kSent) egress.increment(telemetry::EgressCounter::kForwarded);
            if (outcome == Outcome::kDeletedHopLimit)
                egress.increment(telemetry::EgressCounter::kRenderDeletedHopLimit);
            if (outcome == Outcome::kDeletedUnreadable)
                egress.increment(telemetry::EgressCounter::kRenderDeletedMalformed);
            if (outcome == Outcome::kStored)
                storage.increment(telemetry::StorageCounter::kStoredNow);
            if (outcome == Outcome::kDuplicate)
                storage.increment(telemetry::StorageCounter::kDuplicates);
        }
    }
    void give_back(std::deque<BatchPtr> &lent) {
        bus::BatchOutcome outcome{std::move(lent.front())};
        lent.pop_front();
        core().handle(std::move(outcome), now);
        collect();
    }

    test::BatchMaker maker_;
    std::optional<IngressCore> core_;
    std::map<std::uint64_t, LinkId> routes_;
    std::map<UpstreamId, bool> paused_;
    std::map<std::uint64_t, std::uint64_t> taken_;  ///< not reported yet, by flow
    std::uint64_t next_sequence_ = 1;
};

}  // namespace farlink::ingress
