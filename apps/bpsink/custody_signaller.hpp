// SPDX-License-Identifier: Apache-2.0
// Accepts custody of bundles at the sink: makes custody signals (RFC 5050 section 5.10, CCSDS
// 734.2-B-1) and sends each by the session of its custodian, or by an outduct of its own.
// Owned by the sink, on its loop; one thread.
// A signal whose session has ended is dropped: the custodian retransmits the bundle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "apps/traffic/link_loop.hpp"
#include "cla/api/link.hpp"
#include "common/bp/v6/custody_signals.hpp"
#include "common/buffer/ring.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::bpsink {

struct AnswerOptions {
    std::uint64_t node = 0;  ///< its administrative endpoint is the custodian
    bp::v6::CustodySignalOptions signals;
    std::optional<config::OutductConfig> to;  ///< none: by the sessions of the bundles
};

class CustodySignaller final : private cla::LinkHost {
public:
    CustodySignaller(const AnswerOptions &options, traffic::LinkLoop &loop);

    /// Sets the induct whose sessions carry signals; connects the outduct for signals, if any.
    void open(cla::Induct &induct);
    /// Accepts custody of a bundle that requests it, also of a duplicate, whose signal was lost.
    void handle_bundle(UpstreamId from, std::span<const ByteView> bundle, DtnTime now_ms,
                       TimePoint now);
    /// Sends signals that are due.
    void handle_timeout(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const { return signals_.next_timeout(); }
    /// No aggregate signal is open.
    void expedite(TimePoint now);
    /// Every signal has been sent, or acknowledged where the convergence layer does that.
    [[nodiscard]] bool all_sent() const;
    void close();

    // ---- events of the sink's induct
    void handle_closed(UpstreamId session);
    void handle_transmitted(LinkId link, std::uint64_t token);
    void handle_writable(LinkId link);

    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t signals() const { return sent_; }
    [[nodiscard]] std::uint64_t aggregates() const { return aggregates_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    /// A link for signals.
    struct Way {
        cla::Outduct *out = nullptr;
        bool connected = false;
        Ring<Bytes> waiting;
        std::uint64_t next_token = 0;
        std::uint64_t first_token = 0;  ///< the first that is not sent
    };
    /// The id of the outduct for signals; sessions have the ids after it.
    static constexpr LinkId kOwnLink{1};
    static constexpr std::uint32_t kFirstSession = 2;
    static constexpr std::size_t kMostCustodians = 1024;

    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override;
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override;
    void on_transmitted(LinkId link, std::uint64_t token) override {
        handle_transmitted(link, token);
    }
    void on_writable(LinkId link) override { handle_writable(link); }

    [[nodiscard]] LinkId way_to(const bp::Eid &custodian) const;
    [[nodiscard]] Way *open_way(LinkId id);
    [[nodiscard]] Bytes bundle_of(const bp::v6::CustodySignals::Signal &signal, DtnTime now_ms);
    void pump(Way &way);

    AnswerOptions options_;
    bp::v6::CustodySignals signals_;
    cla::Induct *induct_ = nullptr;
    std::unique_ptr<cla::Outduct> own_;
    std::map<LinkId, Way> ways_;
    std::map<std::string, UpstreamId> sessions_;  ///< the last one of each custodian
    DtnTime now_ms_ = 0;
    /// Creation timestamp of the last signal; unique among sinks of the same second.
    std::uint64_t sequence_;
    std::uint64_t accepted_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t aggregates_ = 0;
    std::uint64_t dropped_ = 0;
    Bytes joined_;
};

}  // namespace farlink::bpsink
