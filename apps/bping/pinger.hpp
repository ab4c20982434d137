// SPDX-License-Identifier: Apache-2.0
// Sends echo requests by one link and receives replies, by the same session or by an induct.
// Owned by bping's main(); one thread.
// A reply is any bundle for this endpoint with the payload of a request of this run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/shared/traffic/bundle_group.hpp"
#include "apps/shared/traffic/content/bundle_template.hpp"
#include "apps/shared/traffic/content/payload.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/link_trouble.hpp"
#include "apps/shared/traffic/trouble_notice.hpp"
#include "cla/api/link.hpp"
#include "common/base/time.hpp"
#include "common/config/node/node_config.hpp"
#include "common/ping/round_trips.hpp"

namespace farlink::bping {

struct PingOptions {
    config::OutductConfig via;
    std::optional<config::InductConfig> listen;  ///< for replies, for a one-way convergence layer
    traffic::BundleOptions bundle;
    std::uint64_t count = 0;  ///< requests; 0: until a signal
    Duration interval{};      ///< 0: the next after each reply
    Duration timeout{};       ///< for a connection, and for each reply
};

/// One reply.
struct Echo {
    std::uint64_t sequence = 0;
    std::uint64_t payload_bytes = 0;
    Duration taken{};
};

class Pinger final : private cla::LinkHost {
public:
    Pinger(const PingOptions &options, traffic::LinkLoop &loop, traffic::BundleTemplate &bundles,
           const traffic::Pattern &pattern, std::uint64_t run,
           std::function<void(const Echo &)> on_echo, std::function<void(std::uint64_t)> on_lost);

    /// Listens for replies; false when that fails.
    [[nodiscard]] bool listen() { return !induct_ || induct_->open(); }
    [[nodiscard]] std::uint16_t port() const { return induct_ ? induct_->port() : 0; }
    /// Pings until the last reply or a stop signal. Returns an error when it could not begin.
    [[nodiscard]] std::string run();

    [[nodiscard]] const ping::RoundTrips &trips() const { return trips_; }
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    /// Why there was no reply, as far as the link can tell; empty: there were some, or it cannot.
    [[nodiscard]] std::string why_lost() const;

private:
    static constexpr LinkId kOutduct{0};
    static constexpr LinkId kInduct{1};

    void on_upstream_opened(LinkId link, UpstreamId, bool) override;
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override;
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_ending(LinkId link, const cla::PeerIdentity &, std::string_view detail) override {
        if (link == kOutduct) trouble_.handle_ending(detail);
    }
    void on_unreachable(LinkId, std::string_view why) override { trouble_.handle_unreachable(why); }
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override;
    void on_transmitted(LinkId link, std::uint64_t token) override;
    void on_refused(LinkId, std::uint64_t, cla::Refusal refusal) override {
        ++refused_;
        answered_ |= refusal < cla::Refusal::kNotSent;
    }
    void on_writable(LinkId) override {}

    [[nodiscard]] std::string connect();
    void send_request(TimePoint now);
    void report_trouble(TimePoint now);
    void handle_bundle(std::span<const ByteView> bundle, TimePoint now);
    void close();

    PingOptions options_;
    traffic::LinkLoop &loop_;
    traffic::BundleGroup group_;
    std::function<void(const Echo &)> on_echo_;
    std::function<void(std::uint64_t)> on_lost_;  ///< with the request's number
    ping::RoundTrips trips_;
    traffic::PayloadHeader request_;  ///< the one sent last
    /// Sequence number of the first request: BPv6 time is in seconds, and two runs within one
    /// second must not send bundles of one identity.
    std::uint64_t first_sequence_;
    /// Memory of the bundles from first_token_ on, which the link refers to.
    Ring<traffic::GroupMemoryPtr> memory_;
    std::unique_ptr<cla::Outduct> outduct_;
    std::unique_ptr<cla::Induct> induct_;
    std::uint64_t first_token_ = 0;
    std::uint64_t next_token_ = 0;
    std::uint64_t refused_ = 0;
    cla::LinkState state_ = cla::LinkState::kClosed;
    traffic::LinkTrouble trouble_;
    traffic::TroubleNotice notice_;
    bool answered_ = false;   ///< a request, by the peer's convergence layer: taken or refused
    bool reachable_ = false;  ///< the induct has a session
    Bytes joined_;
};

}  // namespace farlink::bping
