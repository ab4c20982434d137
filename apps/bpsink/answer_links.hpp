// SPDX-License-Identifier: Apache-2.0
// The links by which the sink sends custody signals and echoes: the session by which a bundle has
// come, or an outduct for the answers of one kind.
// Owned by the sink, on its loop; one thread.
// Answers wait here while their link is busy; what its session has not sent ends with it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/link_trouble.hpp"
#include "cla/api/link.hpp"
#include "common/buffer/ring.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::bpsink {

class AnswerLinks final : private cla::LinkHost {
public:
    explicit AnswerLinks(traffic::LinkLoop &loop) : loop_(loop) {}

    /// Before open(): an outduct for answers, and its id. At most two.
    [[nodiscard]] LinkId add(config::OutductConfig to);
    /// Sets the induct whose sessions carry answers; connects the outducts.
    void open(cla::Induct &induct);
    void close();

    /// The link of a session.
    [[nodiscard]] static LinkId link_of(UpstreamId session) {
        return LinkId{kFirstSession + session.value()};
    }
    /// False: the session has ended, its convergence layer is one-way, or the link does not take a
    /// bundle of this size. A bundle that is taken is sent when the link allows.
    [[nodiscard]] bool send(LinkId link, Bytes bundle);
    /// More answers wait than shall be kept.
    [[nodiscard]] bool full() const { return waiting_bytes_ >= kFullBytes; }
    /// Every answer has been sent, or acknowledged where the convergence layer does that.
    [[nodiscard]] bool all_sent() const;

    // ---- events of the sink's induct
    void handle_closed(UpstreamId session);
    void handle_transmitted(LinkId link, std::uint64_t token);
    void handle_writable(LinkId link);
    void handle_refused(cla::Refusal refusal);
    void handle_state(LinkId link, cla::LinkState state);

    /// Answers that a neighbour has refused, or that were lost with a connection.
    [[nodiscard]] std::uint64_t lost() const { return lost_; }

private:
    /// Of an outduct for answers.
    struct Trouble {
        config::LinkUrl url;
        traffic::LinkTrouble last;
        std::string printed;
    };
    struct Way {
        cla::Outduct *out = nullptr;
        bool connected = false;
        Ring<Bytes> waiting;
        Ring<Bytes> under_way;  ///< the link refers to them
        std::uint64_t next_token = 0;
    };
    static constexpr std::uint32_t kFirstSession = 3;
    static constexpr std::uint64_t kFullBytes = 64 * 1024 * 1024;

    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override;
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override;
    void on_ending(LinkId link, const cla::PeerIdentity &, std::string_view detail) override;
    void on_unreachable(LinkId link, std::string_view why) override;
    void on_transmitted(LinkId link, std::uint64_t token) override {
        handle_transmitted(link, token);
    }
    void on_refused(LinkId, std::uint64_t, cla::Refusal refusal) override {
        handle_refused(refusal);
    }
    void on_writable(LinkId link) override { handle_writable(link); }

    [[nodiscard]] Way *open_way(LinkId link);
    void pump(Way &way);
    void forget_first(Way &way);
    void lose_under_way(Way &way);
    static void print_once(Trouble &trouble);

    traffic::LinkLoop &loop_;
    cla::Induct *induct_ = nullptr;
    std::map<LinkId, std::unique_ptr<cla::Outduct>> own_;
    std::map<LinkId, Trouble> troubles_;
    std::map<LinkId, Way> ways_;
    std::uint64_t waiting_bytes_ = 0;  ///< and under way
    std::uint64_t lost_ = 0;
};

}  // namespace farlink::bpsink
