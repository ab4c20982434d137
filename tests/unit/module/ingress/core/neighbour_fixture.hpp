// SPDX-License-Identifier: Apache-2.0
// Sessions of neighbours whose links and whose egress the test plays: node 10, whose outduct leads
// to node 5 at 192.0.2.5.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "module/ingress/neighbour_sessions.hpp"
#include "tests/support/octets.hpp"
#include "tests/support/test_batch.hpp"

namespace farlink::ingress {

inline constexpr LinkId kFirst{kFirstOpenedLink};
inline constexpr LinkId kSecond{kFirstOpenedLink + 1};

/// The sending half of a session: takes what the test gives it credit for.
class Half final : public cla::Outduct {
public:
    void open() override { suspended = false; }
    void suspend() override { suspended = true; }
    void close() override {}
    [[nodiscard]] std::uint64_t transmit_credit() const override { return credit; }
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override { return most; }
    void transmit(std::span<const TxBundle> bundles) override {
        EXPECT_FALSE(std::exchange(transmitting_, true)) << "one call at a time";
        for (const TxBundle &tx : bundles) {
            Bytes octets(tx.head.begin(), tx.head.end());
            append(octets, tx.body);
            for (const ByteView piece : tx.rest) append(octets, piece);
            EXPECT_EQ(octets.size(), tx.size);
            credit -= std::min<std::uint64_t>(credit, tx.size);
            tokens.push_back(tx.token);
            if (tx.continues) continuing.push_back(tx.token);
            sent.push_back(std::move(octets));
        }
        if (when_transmit) std::exchange(when_transmit, {})();
        transmitting_ = false;
    }
    void flush() override { ++flushes; }
    void set_rate(BitRate value) override { rate = value; }
    void set_owlt(Duration value) override { owlt = value; }

    std::optional<BitRate> rate;
    std::optional<Duration> owlt;
    bool suspended = false;
    std::uint64_t credit = ~std::uint64_t{0};
    std::uint64_t most = ~std::uint64_t{0};  ///< bytes of a bundle that the peer takes
    std::vector<std::uint64_t> tokens;
    std::vector<std::uint64_t> continuing;  ///< those of further fragments
    std::vector<Bytes> sent;
    std::size_t flushes = 0;
    std::function<void()> when_transmit;  ///< inside the next transmit()

private:
    bool transmitting_ = false;
};

class Listener final : public cla::Induct {
public:
    [[nodiscard]] bool open() override { return true; }
    void close() override {}
    [[nodiscard]] std::uint16_t port() const override { return 0; }
    [[nodiscard]] cla::Outduct *attach(UpstreamId session, LinkId link) override {
        if (!sends) return nullptr;
        halves[session.value()].first = link;
        halves[session.value()].second.most = peers_take;
        return &halves[session.value()].second;
    }

    bool sends = true;                             ///< its sessions work both ways
    std::uint64_t peers_take = ~std::uint64_t{0};  ///< bytes of a bundle
    std::map<std::uint32_t, std::pair<LinkId, Half>> halves;
};

class NeighbourSessionsTest : public testing::Test {
protected:
    NeighbourSessionsTest() {
        config.node = NodeNumber{10};
        config.outducts.resize(1);
        config.outducts[0].next_hop = NodeNumber{5};
        config.outducts[0].url.host = "192.0.2.5";
        induct.node_id = "ipn:10.0";
    }

    /// A peer opens a session and says who it is; true when it carries a link now.
    bool claims(std::uint32_t session, const std::string &node_id, bool proved = true,
                const std::string &address = "198.51.100.1") {
        core().handle_peer(listener, induct, UpstreamId{session}, {node_id, address, proved});
        return core().carried_by(UpstreamId{session}).has_value();
    }
    bool claims_unproved(std::uint32_t session, const std::string &node_id,
                         const std::string &address) {
        return claims(session, node_id, false, address);
    }
    void closes(std::uint32_t session, cla::LinkFault fault = cla::LinkFault::kPeerClosed,
                std::string_view detail = {}) {
        core().handle_closed(UpstreamId{session}, fault, detail);
    }
    Half &half(std::uint32_t session) { return listener.halves.at(session).second; }

    /// Made at its first use, so that a test may change the configuration before.
    NeighbourSessions &core() {
        if (!core_)
            core_.emplace(
                config, counters, tallies,
                [this](bus::Message message) { keep(std::move(message)); },
                [this](BatchPtr batch) { own.push_back(std::move(batch)); });
        return *core_;
    }
    /// What egress heard since the last call: "+0/7 -0/7" for the first link to node 7.
    std::string changes() {
        std::string text;
        for (const bus::SessionChange &change : std::exchange(changes_, {}))
            text += std::string(text.empty() ? "" : " ") + (change.open ? "+" : "-") +
                    std::to_string(change.link.value() - kFirstOpenedLink) + "/" +
                    std::to_string(change.neighbour.value());
        return text;
    }

    /// A batch as egress renders it: each bundle has a head, a body and a third piece.
    BatchPtr batch_of(std::initializer_list<std::size_t> sizes, LinkId link = kFirst) {
        auto batch = std::make_unique<Batch>();
        batch->owner = BatchOwner::kEgress;
        batch->link = link;
        for (const std::size_t size : sizes) {
            const Bytes &octets = octets_.emplace_back(test::octets_of(size, octets_.size()));
            BatchedBundle bundle;
            bundle.size = size;
            bundle.first_slice = static_cast<std::uint32_t>(batch->slices.size());
            bundle.slice_count = 3;
            const ByteView whole(octets);
            batch->slices.push_back(whole.first(size / 3));
            batch->slices.push_back(whole.subspan(size / 3, size / 3));
            batch->slices.push_back(whole.subspan(size / 3 * 2));
            batch->bundles.push_back(bundle);
            batch->bytes += size;
        }
        return batch;
    }
    void give(BatchPtr batch) { core().handle(bus::TransmitBatch{std::move(batch)}); }
    void transmitted(std::uint64_t token, LinkId link = kFirst) {
        core().handle_transmitted(link, token);
    }
    /// Egress wants to send no more by the link.
    void stops(LinkId link = kFirst) { core().handle(bus::SessionChange{link, {}, false, {}}); }
    /// The outcomes of the next batch that has come back.
    std::vector<Outcome> outcomes() {
        std::vector<Outcome> list;
        if (back.empty()) return list;
        const BatchPtr batch = std::move(back.front());
        back.pop_front();
        EXPECT_EQ(batch->done, batch->bundles.size());
        for (const BatchedBundle &bundle : batch->bundles)
            list.push_back(batch->outcome_of(bundle));
        return list;
    }
    /// Ingress has these bundles for the link and asks to send them at once; true when they go.
    bool takes(std::size_t count = 1, LinkId link = kFirst, std::uint64_t lifetime_ms = 1000) {
        test::TestBundle bundle;
        bundle.lifetime_ms = lifetime_ms;
        BatchPtr batch =
            maker.make(BatchOwner::kIngress, link, std::vector<Bytes>(count, bundle.octets()), 2);
        for (BatchedBundle &each : batch->bundles) each.received = test::at_ms(1);
        const bool taken = core().take(batch, test::kStart + 5, test::at_ms(5));
        EXPECT_EQ(batch == nullptr, taken);
        return taken;
    }
    Outcome own_outcome() {
        if (own.empty()) return Outcome::kPending;
        const BatchPtr batch = std::move(own.front());
        own.pop_front();
        return batch->outcome_of(batch->bundles.front());
    }
    using Outcomes = std::vector<Outcome>;
    using Tokens = std::vector<std::uint64_t>;

    config::NodeConfig config;
    config::InductConfig induct;
    Listener listener;
    telemetry::IngressCounters counters;
    telemetry::LinkTallies tallies;
    test::BatchMaker maker;
    std::deque<BatchPtr> back;
    std::deque<BatchPtr> own;           ///< what came back to ingress
    std::deque<Bytes> octets_;          ///< of all batches, in order
    Bytes announced;                    ///< this node's id in the last session that opened
    std::uint64_t announced_bytes = 0;  ///< the largest bundle that its peer takes
    cla::LinkFault ended_by = cla::LinkFault::kNone;  ///< in the last change

private:
    void keep(bus::Message message) {
        if (auto *outcome = std::get_if<bus::BatchOutcome>(&message)) {
            back.push_back(std::move(outcome->batch));
        } else {
            changes_.push_back(std::get<bus::SessionChange>(message));
            ended_by = static_cast<cla::LinkFault>(changes_.back().fault);
            if (!changes_.back().open) return;
            announced = changes_.back().node_id;
            announced_bytes = changes_.back().max_bundle_bytes;
        }
    }
    std::vector<bus::SessionChange> changes_;
    std::optional<NeighbourSessions> core_;
};

}  // namespace farlink::ingress
