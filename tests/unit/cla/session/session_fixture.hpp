// SPDX-License-Identifier: Apache-2.0
// Two hosts on one loop with a link of sessions each: one listens, one connects.
// Owned by the test that derives from it.
// One thread.
#pragma once

#include "cla/session/session_induct.hpp"
#include "cla/session/session_outduct.hpp"
#include "tests/support/frame_core.hpp"
#include "tests/support/session_node.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla {

class SessionTest : public testing::Test {
protected:
    static constexpr LinkId kIn{3};
    static constexpr LinkId kOut{5};
    static constexpr LinkId kBack{9};

    SessionTest() {
        in.id = kIn;
        in.url = {"frame", "127.0.0.1", 0, {}};
        in.node_id = "ipn:1.0";
        out.id = kOut;
        out.url = {"frame", "127.0.0.1", 0, {}};
        out.node_id = "ipn:2.0";
        out.next_hop = NodeNumber{1};
        out.reconnect_min = milliseconds(1);
        out.reconnect_max = milliseconds(20);
    }

    static std::unique_ptr<SessionCore> make_frames(const SessionConfig &config, UpstreamId) {
        return std::make_unique<test::FrameCore>(config);
    }
    void listen() {
        auto setup = make_session_setup(in, protocol);
        ASSERT_TRUE(setup) << setup.error();
        if (tune_passive) tune_passive(setup->config);
        induct = std::make_unique<SessionInduct>(server.resources(), in, std::move(*setup));
        server.source = induct.get();
        ASSERT_TRUE(induct->open());
        server.changes.clear();
        out.url.port = induct->port();
    }
    void connect() {
        auto setup = make_session_setup(out, protocol);
        ASSERT_TRUE(setup) << setup.error();
        if (tune_active) tune_active(setup->config);
        outduct = std::make_unique<SessionOutduct>(client.resources(), out, std::move(*setup), 1);
        client.source = outduct.get();
        outduct->open();
    }
    [[nodiscard]] bool connected() {
        return bench.run_until(
            [&] { return client.state() == LinkState::kConnected && server.open_upstreams() > 0; });
    }
    [[nodiscard]] UpstreamId at_server() const { return server.upstreams.begin()->first; }
    [[nodiscard]] bool reaches(LinkState state) {
        return until([&] { return client.state() == state; });
    }
    [[nodiscard]] bool until(const std::function<bool()> &done) { return bench.run_until(done); }
    /// Sends as long as there is credit; true when `count` bundles have been sent in all.
    bool send_some(test::SessionNode &from, Outduct &by, std::size_t count, std::size_t bytes) {
        while (from.next_token < count && by.transmit_credit() > 0)
            from.send(by, test::octets_of(bytes, from.next_token));
        from.flush(by);
        return from.next_token == count;
    }
    static void expect_bundles(const std::vector<Bytes> &got, std::size_t count,
                               std::size_t bytes) {
        ASSERT_EQ(got.size(), count);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(got[i], test::octets_of(bytes, i)) << i;
    }

    test::LinkBench bench;
    test::SessionNode server{bench};
    test::SessionNode client{bench};
    config::InductConfig in;
    config::OutductConfig out;
    CoreFactory protocol = make_frames;
    std::function<void(SessionConfig &)> tune_passive;
    std::function<void(SessionConfig &)> tune_active;
    std::unique_ptr<SessionInduct> induct;
    std::unique_ptr<SessionOutduct> outduct;
};

}  // namespace farlink::cla
