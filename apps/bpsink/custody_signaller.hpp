// SPDX-License-Identifier: Apache-2.0
// Takes custody of what arrives at the sink: makes the signals (RFC 5050 section 5.10, CCSDS
// 734.2-B-1) and sends each by the session that its custodian's bundles came by, or by a link of
// its own. Owned by the sink, on its loop; one thread.
// A signal whose session is gone is dropped: the custodian sends the bundle again, and hears then.
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
    std::optional<config::OutductConfig> to;  ///< none: by the sessions that bundles come by
};

class CustodySignaller final : private cla::LinkHost {
public:
    CustodySignaller(const AnswerOptions &options, traffic::LinkLoop &loop);

    /// The induct whose sessions take signals back; connects the link of its own, if there is one.
    void open(cla::Induct &induct);
    /// Takes custody of a bundle that asks for it; also of a repeat, which says that the answer was
    /// lost.
    void handle_bundle(UpstreamId from, std::span<const ByteView> bundle, DtnTime now_ms,
                       TimePoint now);
    /// Sends what is due.
    void handle_timeout(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const { return signals_.next_timeout(); }
    /// Nothing waits for more to come.
    void expedite(TimePoint now);
    /// Every signal is with the next hop, as its layer promises.
    [[nodiscard]] bool all_sent() const;
    void close();

    // ---- what the sink's induct says
    void handle_closed(UpstreamId session);
    void handle_transmitted(LinkId link, std::uint64_t token);
    void handle_writable(LinkId link);

    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t signals() const { return sent_; }
    [[nodiscard]] std::uint64_t aggregates() const { return aggregates_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    /// A link that signals leave by.
    struct Way {
        cla::Outduct *out = nullptr;
        bool connected = false;
        Ring<Bytes> waiting;
        std::uint64_t next_token = 0;
        std::uint64_t first_token = 0;  ///< not yet with the next hop
    };
    /// Of the link of its own; sessions have the ids behind it.
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
    /// Of the last signal; another sink's within the same second are others.
    std::uint64_t sequence_;
    std::uint64_t accepted_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t aggregates_ = 0;
    std::uint64_t dropped_ = 0;
    Bytes joined_;
};

}  // namespace farlink::bpsink
