// SPDX-License-Identifier: Apache-2.0
// The ends of real links in a test: a source that sends numbered bundles and repeats those that a
// lost session has not transmitted, and sinks that record arrivals.
// Owned by the test, on the loop of its LinkBench; one thread.
// They follow the rules of the convergence layer that their URL names.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "apps/shared/traffic/tool_link.hpp"
#include "cla/factory/link_factory.hpp"
#include "common/bp/parse.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {

/// Bundles number 0, 1, ... of node 1 to node `to`.
class LinkSource final : public cla::LinkHost {
public:
    LinkSource(LinkBench &bench, std::uint64_t to, std::size_t payload_bytes)
        : bench_(bench), to_(to), payload_bytes_(payload_bytes) {}

    /// Sends by this link from now on; the link before finishes its transfers.
    void go_to(const std::string &url) {
        if (!ways_.empty()) ways_.back()->outduct->close();
        auto config = traffic::way_out(url, 1);
        ASSERT_TRUE(config) << config.error();
        config->id = LinkId{static_cast<std::uint32_t>(ways_.size())};
        Way &way = *ways_.emplace_back(std::make_unique<Way>());
        const cla::LinkResources resources{bench_.io, bench_.buffer, *this, bench_.next_upstream};
        way.outduct = cla::make_outduct(resources, *config, 1);
        way.outduct->open();
    }
    void close() { ways_.back()->outduct->close(); }
    void send(std::size_t count) {
        for (; count > 0; --count) waiting_.push_back(made_++);
        pump();
    }
    [[nodiscard]] std::size_t made() const { return made_; }
    /// All bundles are transmitted: acknowledged where the convergence layer acknowledges.
    [[nodiscard]] bool done() const { return handed_over_ == made_; }
    [[nodiscard]] std::size_t handed_over() const { return handed_over_; }
    [[nodiscard]] bool connected() const {
        return !ways_.empty() && ways_.back()->state == cla::LinkState::kConnected;
    }
    /// How often a bundle was refused; it is sent again behind the others.
    [[nodiscard]] std::size_t refused() const { return refused_; }
    /// Faults of sessions that have ended, oldest first.
    [[nodiscard]] const std::vector<cla::LinkFault> &faults() const { return faults_; }

    /// Bundles that arrived by its own sessions; while held back, they are not acknowledged.
    [[nodiscard]] std::size_t came_back() const { return came_back_; }
    void hold_back(bool holding) { holding_ = holding; }

    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override {
        came_back_ += received.bundles.size();
        if (holding_) return;
        cla::Outduct &outduct = *ways_[link.value()]->outduct;
        outduct.acknowledge(from, received.first_transfer,
                            static_cast<std::uint32_t>(received.bundles.size()),
                            TransferDisposition::kSafe);
        outduct.flush_acknowledgements();
    }
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override {
        Way &way = *ways_[link.value()];
        const cla::LinkState before = std::exchange(way.state, state);
        if (state == cla::LinkState::kConnected) return pump();
        if (state == cla::LinkState::kClosing || before < cla::LinkState::kConnected) return;
        faults_.push_back(fault);
        for (; !way.unsafe.empty(); way.unsafe.pop_back())
            if (!way.unsafe.back().refused) waiting_.push_front(way.unsafe.back().number);
        way.first_token = way.next_token;
        pump();
    }
    void on_transmitted(LinkId link, std::uint64_t token) override {
        Way &way = *ways_[link.value()];
        for (; way.first_token < token; ++way.first_token) {
            handed_over_ += way.unsafe.front().refused ? 0 : 1;
            way.unsafe.pop_front();
        }
    }
    void on_refused(LinkId link, std::uint64_t token, cla::Refusal) override {
        Way &way = *ways_[link.value()];
        Sent &sent = way.unsafe[token - way.first_token];
        sent.refused = true;
        ++refused_;
        waiting_.push_back(sent.number);
    }
    void on_writable(LinkId) override { pump(); }

private:
    struct Sent {
        std::size_t number = 0;
        Bytes octets;
        bool refused = false;
    };
    struct Way {
        std::unique_ptr<cla::Outduct> outduct;
        cla::LinkState state = cla::LinkState::kClosed;
        std::deque<Sent> unsafe;
        std::uint64_t first_token = 0;  ///< of unsafe.front()
        std::uint64_t next_token = 0;
    };

    void pump() {
        if (!connected() || std::exchange(pumping_, true)) return;
        Way &way = *ways_.back();
        while (connected() && !waiting_.empty() && way.outduct->transmit_credit() > 0) {
            way.unsafe.push_back({waiting_.front(), octets(waiting_.front())});
            waiting_.pop_front();
            const ByteView bundle(way.unsafe.back().octets);
            const TxBundle tx{
                bundle.first(10), bundle.subspan(10), {}, bundle.size(), way.next_token++};
            way.outduct->transmit({&tx, 1});
            if (way.outduct->transmit_credit() == 0) way.outduct->flush();
        }
        way.outduct->flush();
        pumping_ = false;
    }
    [[nodiscard]] Bytes octets(std::size_t number) const {
        TestBundle bundle;
        bundle.to = bp::ipn_eid(to_, 1);
        bundle.sequence = number;
        bundle.created_ms = created_;
        bundle.payload_bytes = payload_bytes_;
        return bundle.octets();
    }

    LinkBench &bench_;
    std::uint64_t to_;
    std::size_t payload_bytes_;
    DtnTime created_ = read_wall_clock().dtn_ms;
    std::vector<std::unique_ptr<Way>> ways_;  ///< by link; the last one is in use
    std::deque<std::size_t> waiting_;
    std::size_t made_ = 0;
    std::size_t handed_over_ = 0;
    std::vector<cla::LinkFault> faults_;
    std::size_t refused_ = 0;
    std::size_t came_back_ = 0;
    bool holding_ = false;
    bool pumping_ = false;
};

/// What has arrived at one sink or at several, by number.
struct Arrivals {
    std::vector<std::size_t> copies;
    std::size_t different = 0;
    std::size_t foreign = 0;  ///< for another node, or no bundle

    void add(std::size_t number) {
        if (copies.size() <= number) copies.resize(number + 1);
        if (copies[number]++ == 0) ++different;
    }
};

class LinkSink final : public cla::LinkHost {
public:
    /// Listens as node `node`, on a port that the system chooses, and acknowledges each bundle as
    /// safe.
    LinkSink(LinkBench &bench, const std::string &scheme, std::uint64_t node, Arrivals &arrivals)
        : node_(node), arrivals_(arrivals) {
        const auto config = traffic::way_in(scheme + "://127.0.0.1:0", node);
        EXPECT_TRUE(config) << config.error();
        const cla::LinkResources resources{bench.io, bench.buffer, *this, bench.next_upstream};
        induct_ = cla::make_induct(resources, *config);
        EXPECT_TRUE(induct_->open());
    }
    [[nodiscard]] std::uint16_t port() const { return induct_->port(); }
    /// Bundles here, repeats included.
    [[nodiscard]] std::size_t received() const { return received_; }
    [[nodiscard]] std::size_t sessions() const { return sessions_.size(); }
    /// Bundles that arrive from now on are not acknowledged.
    void hold() { holding_ = true; }
    void release() {
        holding_ = false;
        for (auto &[session, held] : sessions_) acknowledge(session, held);
    }

    void on_upstream_opened(LinkId, UpstreamId from, bool acknowledges) override {
        sessions_[from].acknowledges = acknowledges;
    }
    void on_upstream_closed(LinkId, UpstreamId from, cla::LinkFault) override {
        sessions_.erase(from);
    }
    void on_bundles(LinkId, UpstreamId from, ReceivedBundles &received) override {
        for (const ReceivedBundle &bundle : received.bundles) check(received.slices_of(bundle));
        Held &held = sessions_.at(from);
        if (held.count == 0) held.first = received.first_transfer;
        held.count += static_cast<std::uint32_t>(received.bundles.size());
        if (!holding_) acknowledge(from, held);
    }
    void on_state(LinkId, cla::LinkState, cla::LinkFault) override {}
    void on_transmitted(LinkId, std::uint64_t) override {}
    void on_writable(LinkId) override {}

private:
    struct Held {
        std::uint64_t first = 0;
        std::uint32_t count = 0;
        bool acknowledges = false;
    };

    void acknowledge(UpstreamId session, Held &held) {
        const std::uint32_t count = std::exchange(held.count, 0);
        if (count == 0 || !held.acknowledges) return;
        induct_->acknowledge(session, held.first, count, TransferDisposition::kSafe);
        induct_->flush_acknowledgements();
    }
    void check(std::span<const ByteView> slices) {
        ++received_;
        const auto view = bp::parse(slices);
        if (!view || view->destination.node != node_)
            ++arrivals_.foreign;
        else
            arrivals_.add(view->sequence);
    }

    std::uint64_t node_;
    Arrivals &arrivals_;
    std::unique_ptr<cla::Induct> induct_;
    std::map<UpstreamId, Held> sessions_;
    std::size_t received_ = 0;
    bool holding_ = false;
};

}  // namespace farlink::test
