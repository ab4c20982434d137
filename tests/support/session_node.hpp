// SPDX-License-Identifier: Apache-2.0
// A host of links with sessions: keeps the bundles that it sends, acknowledges those that arrive,
// and records all other reports.
// Owned by the test; several may share a LinkBench's loop. One thread.
// It checks the rules between host and link: no report during a command, bundles only from open
// upstreams and after their peer, tokens that only grow; and memory that is free is overwritten.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tests/support/link_bench.hpp"

namespace farlink::test {

class SessionNode final : public cla::LinkHost {
public:
    struct Upstream {
        LinkId link;
        cla::PeerIdentity peer;
        std::vector<Bytes> bundles;
        std::uint64_t acknowledged = 0;
        std::optional<cla::LinkFault> closed;
    };
    struct Change {
        cla::LinkState state;
        cla::LinkFault fault;
        friend bool operator==(const Change &, const Change &) = default;
    };

    explicit SessionNode(LinkBench &bench) : bench_(bench) {}
    [[nodiscard]] cla::LinkResources resources() {
        return {bench_.io, bench_.buffer, *this, bench_.next_upstream};
    }

    // ---- commands; no_report_ detects reports during them
    /// Sends one bundle with the next token; it is kept until it is safe.
    void send(cla::Outduct &out, Bytes bundle) {
        unsafe_.push_back(std::move(bundle));
        const ByteView octets(unsafe_.back());
        TxBundle tx;
        tx.head = octets.first(octets.size() / 3);
        tx.body = octets.subspan(octets.size() / 3);
        tx.size = octets.size();
        tx.token = next_token++;
        const Watch watch(*this);
        out.transmit({&tx, 1});
    }
    void flush(cla::Outduct &out) {
        const Watch watch(*this);
        out.flush();
    }
    /// Acknowledges all bundles from `from` that have no acknowledgement yet.
    void acknowledge(UpstreamId from,
                     TransferDisposition disposition = TransferDisposition::kSafe) {
        Upstream &upstream = upstreams.at(from);
        const Watch watch(*this);
        const auto count =
            static_cast<std::uint32_t>(upstream.bundles.size() - upstream.acknowledged);
        if (count == 0) return;
        source->acknowledge(from, upstream.acknowledged, count, disposition);
        upstream.acknowledged += count;
        source->flush_acknowledgements();
    }

    // ---- reports
    bool knows(LinkId, const cla::PeerIdentity &peer) const override {
        return !knows_only || peer.address == *knows_only;
    }
    void on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) override {
        check_report();
        EXPECT_TRUE(acknowledges);
        EXPECT_FALSE(upstreams.contains(from));
        upstreams[from].link = link;
    }
    void on_peer(LinkId, UpstreamId from, const cla::PeerIdentity &peer) override {
        check_report();
        EXPECT_TRUE(upstreams.at(from).bundles.empty());
        upstreams.at(from).peer = peer;
        if (when_peer) when_peer(from);
    }
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override {
        check_report();
        Upstream &upstream = upstreams.at(from);
        EXPECT_EQ(upstream.link, link);
        EXPECT_FALSE(upstream.closed);
        EXPECT_FALSE(upstream.peer.node_id.empty());
        EXPECT_EQ(received.first_transfer, upstream.bundles.size());
        for (const ReceivedBundle &bundle : received.bundles)
            upstream.bundles.push_back(joined(received.slices_of(bundle)));
        if (acknowledge_at_once) acknowledge(from, answer);
        if (when_bundles) when_bundles(from);
    }
    void on_ending(LinkId, const cla::PeerIdentity &peer, std::string_view published) override {
        ending = peer.address;
        detail = published;
    }
    void on_upstream_closed(LinkId, UpstreamId from, cla::LinkFault fault) override {
        EXPECT_FALSE(upstreams.at(from).closed);
        upstreams.at(from).closed = fault;
    }
    void on_state(LinkId, cla::LinkState state, cla::LinkFault fault) override {
        changes.push_back({state, fault});
    }
    void on_transmitted(LinkId, std::uint64_t token) override {
        check_report();
        EXPECT_GT(token, transmitted);
        for (; transmitted < token; ++transmitted) {
            std::ranges::fill(unsafe_.front(), std::uint8_t{0xdd});
            unsafe_.pop_front();
        }
    }
    void on_refused(LinkId, std::uint64_t token, cla::Refusal) override {
        check_report();
        refused.push_back(token);
    }
    void on_bundles_refused(LinkId, UpstreamId from, std::uint64_t bundles,
                            bool in_order) override {
        check_report();
        EXPECT_TRUE(upstreams.contains(from) && in_order);
        refused_arrivals += bundles;
    }
    void on_writable(LinkId) override {
        check_report();
        ++writable;
        if (when_writable) when_writable();
    }
    void on_deviation(LinkId, const cla::PeerIdentity &,
                      cla::ProtocolDeviation deviation) override {
        check_report();
        deviations.push_back(deviation);
    }

    [[nodiscard]] cla::LinkState state() const {
        return changes.empty() ? cla::LinkState::kClosed : changes.back().state;
    }
    [[nodiscard]] std::size_t times(cla::LinkState state) const {
        std::size_t count = 0;
        for (const Change &change : changes) count += change.state == state ? 1 : 0;
        return count;
    }
    [[nodiscard]] std::size_t open_upstreams() const {
        std::size_t count = 0;
        for (const auto &[id, upstream] : upstreams) count += upstream.closed ? 0 : 1;
        return count;
    }
    [[nodiscard]] std::size_t received() const {
        std::size_t count = 0;
        for (const auto &[id, upstream] : upstreams) count += upstream.bundles.size();
        return count;
    }
    /// Removes the bundles that are not safe, as after the loss of a link; returns them.
    [[nodiscard]] std::vector<Bytes> take_back() {
        std::vector<Bytes> back;
        for (Bytes &bundle : unsafe_) {
            back.push_back(bundle);
            std::ranges::fill(bundle, std::uint8_t{0xdd});
        }
        transmitted = next_token;
        unsafe_.clear();
        return back;
    }

    cla::BundleSource *source = nullptr;  ///< the link that acknowledge() calls
    bool acknowledge_at_once = true;
    TransferDisposition answer = TransferDisposition::kSafe;
    std::map<UpstreamId, Upstream> upstreams;
    std::optional<std::string> knows_only;  ///< an address; without: any address
    std::string detail;                     ///< of the session that ended last for a fault
    std::string ending;                     ///< address of its peer
    std::vector<Change> changes;
    std::vector<std::uint64_t> refused;
    std::uint64_t refused_arrivals = 0;  ///< bundles of peers, by the layer
    std::vector<cla::ProtocolDeviation> deviations;
    std::uint64_t transmitted = 0;
    std::uint64_t next_token = 0;
    std::size_t writable = 0;
    std::function<void(UpstreamId)> when_peer;
    std::function<void(UpstreamId)> when_bundles;
    std::function<void()> when_writable;

private:
    struct Watch {
        explicit Watch(SessionNode &node) : node_(node) { ++node_.no_report_; }
        ~Watch() { --node_.no_report_; }
        Watch(const Watch &) = delete;
        Watch &operator=(const Watch &) = delete;
        SessionNode &node_;
    };
    void check_report() const { EXPECT_EQ(no_report_, 0) << "the link reported during a command"; }

    LinkBench &bench_;
    int no_report_ = 0;
    std::deque<Bytes> unsafe_;
};

}  // namespace farlink::test
