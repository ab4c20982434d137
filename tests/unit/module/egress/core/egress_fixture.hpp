// SPDX-License-Identifier: Apache-2.0
// An egress core whose neighbours are played by the test: it makes the batches, and it is the
// links. Node 10 has a link to node 2 and one to node 3. One thread. At the end every batch has
// come back and no memory is held.
#pragma once

#include <gtest/gtest.h>

#include "module/egress/core/egress_core.hpp"
#include "tests/support/test_batch.hpp"

namespace farlink::egress {

using Outcomes = std::vector<Outcome>;

inline constexpr LinkId kLink{4};
inline constexpr LinkId kOther{5};
inline constexpr LinkId kUnknown{6};
inline constexpr NodeNumber kHere{10};
inline constexpr std::uint64_t kAnyBytes = ~std::uint64_t{0};

inline std::vector<config::OutductConfig> outducts() {
    std::vector<config::OutductConfig> configs(2);
    configs[0].id = kLink;
    configs[0].next_hop = NodeNumber{2};
    configs[1].id = kOther;
    configs[1].next_hop = NodeNumber{3};
    return configs;
}

/// What a link was given, as it would leave.
struct Sent {
    std::uint64_t token = 0;
    Bytes octets;
    bool continues = false;
};

class EgressCoreTest : public testing::Test {
protected:
    void TearDown() override {
        batches_back();
        EXPECT_EQ(value(EgressCounter::kQueued), 0U) << "a batch is still here";
        EXPECT_EQ(value(EgressCounter::kQueuedBytes), 0U);
        for (const LinkId link : {kLink, kOther})
            EXPECT_EQ(telemetry::LinkTallies::counters(core.links().tallies().entry(link))
                          .value(LinkCounter::kQueued),
                      0U);
        back.clear();
        EXPECT_EQ(maker.pool().pinned_bytes(), 0U);
    }

    void plan(LinkId link) {
        bus::ContactStart start;
        start.link = link;
        core.handle(start, now);
    }
    void end(LinkId link) {
        bus::ContactEnd contact_end;
        contact_end.link = link;
        core.handle(contact_end, now);
    }
    void bring_up(LinkId link) {
        plan(link);
        core.handle_connected(link, ~std::uint64_t{0}, now);
    }
    std::vector<Bytes> bundles(std::size_t count, std::size_t payload_bytes = 20) {
        std::vector<Bytes> made;
        for (; count > 0; --count) made.push_back(bundle(payload_bytes).octets());
        return made;
    }
    test::TestBundle bundle(std::size_t payload_bytes = 20) {
        test::TestBundle made;
        made.sequence = next_sequence++;
        made.payload_bytes = payload_bytes;
        return made;
    }
    /// A batch for the neighbour at the end of `link`.
    BatchPtr batch_for(BatchOwner owner, LinkId link, const std::vector<Bytes> &octets,
                       std::size_t slices = 1) {
        BatchPtr batch = maker.make(owner, link, octets, slices);
        batch->next_hop = NodeNumber{link == kOther ? 3U : 2U};
        return batch;
    }
    void forward(const std::vector<Bytes> &octets, LinkId link = kLink) {
        core.handle(bus::ForwardBatch{batch_for(BatchOwner::kIngress, link, octets)}, now);
    }
    void release(const std::vector<Bytes> &octets, LinkId link = kLink) {
        core.handle(bus::ReleaseBatch{batch_for(BatchOwner::kStorage, link, octets)}, now);
    }
    std::vector<Sent> transmit(LinkId link = kLink, std::size_t most = 64,
                               std::uint64_t max_bytes = kAnyBytes) {
        std::vector<TxBundle> out(most);
        const std::size_t count = core.poll_transmit(link, out, max_bytes, now);
        std::vector<Sent> sent;
        for (const TxBundle &tx : std::span(out).first(count)) {
            Bytes octets(tx.head.begin(), tx.head.end());
            append(octets, tx.body);
            append(octets, test::joined(tx.rest));
            EXPECT_EQ(octets.size(), tx.size);
            sent.push_back({tx.token, std::move(octets), tx.continues});
        }
        return sent;
    }
    void acknowledge(std::uint64_t token) { core.handle_transmitted(kLink, token, now); }

    /// Takes the messages of the core; batches go to `back`, statuses and reports to their lists.
    std::vector<BatchPtr> &batches_back() {
        while (auto out = core.poll_message()) {
            EXPECT_FALSE(out->publish);
            if (auto *outcome = std::get_if<bus::BatchOutcome>(&out->message)) {
                const bool ingress = outcome->batch->owner == BatchOwner::kIngress;
                EXPECT_EQ(out->to, ingress ? bus::AgentId::kIngress : bus::AgentId::kStorage);
                back.push_back(std::move(outcome->batch));
            } else if (const auto *status = std::get_if<bus::LinkStatus>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kScheduler);
                statuses.push_back(*status);
            } else if (auto *report = std::get_if<bus::ReportRequest>(&out->message)) {
                EXPECT_EQ(out->to, bus::AgentId::kIngress);
                reports.push_back(std::move(*report));
            } else {
                ADD_FAILURE() << "an unexpected message";
            }
        }
        return back;
    }
    /// The outcomes that came back since the last call, in their order: of batches, and of parts.
    std::vector<Outcome> outcomes() {
        std::vector<Outcome> list;
        for (const BatchPtr &batch : batches_back())
            for (const BatchedBundle &each : batch->bundles) {
                const Outcome outcome = batch->outcome_of(each);
                const bool elsewhere = batch->whole != nullptr ? outcome == Outcome::kPending
                                                               : outcome == Outcome::kReturnedEarly;
                if (!elsewhere) list.push_back(outcome);
            }
        back.clear();
        return list;
    }
    [[nodiscard]] std::uint64_t value(EgressCounter counter) {
        return core.counters().value(counter);
    }

    test::BatchMaker maker;
    /// A new core in the place of `core`.
    void restart(const std::vector<config::OutductConfig> &outducts) {
        made_.emplace(kHere, outducts, test::kClock);
    }

    std::optional<EgressCore> made_{std::in_place, kHere, outducts(), test::kClock};
    EgressCore &core = *made_;
    TimePoint now = test::at_ms(1000);
    std::uint64_t next_sequence = 1;
    std::vector<BatchPtr> back;
    std::vector<bus::LinkStatus> statuses;
    std::vector<bus::ReportRequest> reports;
};

}  // namespace farlink::egress
