// SPDX-License-Identifier: Apache-2.0
// Ingress on the bus: hosts the ways in, feeds their bundles to the core, carries its messages.
// Made by the program, run on a thread of its own; everything but the constructor and the
// destructor happens on that thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cla/api/link.hpp"
#include "cla/io/resources.hpp"
#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/telemetry/changed_values.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "module/ingress/induct_trouble.hpp"
#include "module/ingress/neighbour_sessions.hpp"

namespace farlink::ingress {

class IngressAgent final : public cla::LinkHost {
public:
    /// `self`: kIngress, or a further instance of it.
    IngressAgent(const config::NodeConfig &config, bus::BusContext &context,
                 bus::AgentId self = bus::AgentId::kIngress);
    ~IngressAgent() override;

    /// Serves until a Stop message has been carried out.
    void run();

    void on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) override;
    void on_peer(LinkId link, UpstreamId from, const cla::PeerIdentity &peer) override;
    [[nodiscard]] bool knows(LinkId link, const cla::PeerIdentity &peer) const override;
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override;
    void on_ending(LinkId link, const cla::PeerIdentity &peer, std::string_view detail) override;
    void on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault fault) override;
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override;
    void on_transmitted(LinkId link, std::uint64_t token) override {
        neighbours_.handle_transmitted(link, token);
    }
    void on_refused(LinkId link, std::uint64_t token, cla::Refusal refusal) override {
        neighbours_.handle_refused(link, token, refusal);
    }
    void on_writable(LinkId link) override { neighbours_.handle_writable(link); }
    void on_deviation(LinkId link, const cla::PeerIdentity &peer,
                      cla::ProtocolDeviation deviation) override;
    void on_counted(LinkId link, const cla::PeerIdentity &peer,
                    std::span<const std::uint64_t> more) override;
    void on_datagrams_lost(LinkId link, std::uint64_t datagrams) override;

private:
    struct HostedInduct {
        config::InductConfig config;
        std::unique_ptr<cla::Induct> induct;
        telemetry::LinkTallies::Entry *tally = nullptr;  ///< null once its link is forgotten
        InductTrouble trouble{};
    };
    using HostedInductPtr = std::unique_ptr<HostedInduct>;
    /// It was removed. Its sessions end as their layer provides, and its last callbacks come.
    struct LeavingInduct {
        TimePoint until{};
        HostedInductPtr hosted;
    };

    /// An outduct that leaves by the port of an LTP induct, as a neighbour of it.
    struct Span {
        LinkId induct = kNoLink;
        config::NeighbourAddress neighbour;
    };

    void handle(bus::Message message);
    void handle_link_change(const bus::LinkChange &change);
    void drain_outputs();
    [[nodiscard]] bool send_from_here(BatchPtr &batch);
    void acknowledge_senders();
    void publish_suppressed();
    void pause_upstreams();
    void log_misfit();
    void log_tired();
    void log_rejected();
    void count_departures();
    [[nodiscard]] std::string name_of(UpstreamId from, NodeNumber neighbour) const;
    void on_second();
    void handle_storage_ready(const bus::StorageReady &ready);
    void handle_module(const bus::ModuleLost &lost);
    void handle_module(const bus::ModuleBack &back);
    void open_inducts();
    void publish_ready();
    [[nodiscard]] bool has(const config::InductConfig &config) const;
    [[nodiscard]] bus::AgentId own_egress() const;
    [[nodiscard]] bool open_induct(const config::InductConfig &config);
    [[nodiscard]] std::string change_induct(const bus::LinkChange &change);
    [[nodiscard]] std::string replace_induct(const config::InductConfig &config);
    void restore_inducts();
    // ingress_spans.cpp
    [[nodiscard]] std::string change_span(const bus::LinkChange &change);
    [[nodiscard]] std::string add_span(LinkId link, const config::OutductConfig &outduct);
    [[nodiscard]] bool remove_span(LinkId link);
    void note_configured_spans();
    void restore_spans();
    [[nodiscard]] bool set_spans(HostedInduct &hosted, const Span *without, const Span *more);
    void take_spans_along(config::InductConfig &config) const;
    [[nodiscard]] HostedInductPtr take_induct(LinkId link);
    void retire(HostedInductPtr hosted);
    void end_sessions(const HostedInduct &hosted);
    void bid_farewell();
    [[nodiscard]] HostedInduct *induct_of(UpstreamId upstream);
    void begin_stop();
    void on_report();
    void report_counters(bool last);
    void publish_state(const HostedInduct &hosted, bool listens);
    void forget(LinkId link);
    void note_trouble(HostedInduct &hosted, const SessionEnd &end, cla::LinkFault fault);
    void forget_troubles();
    /// Not an induct that was removed and has something to say yet.
    [[nodiscard]] bool is_here(LinkId link) const {
        return link.value() >= kFirstOpenedLink || inducts_.contains(link);
    }
    void count_session(HostedInduct &hosted, bool opened);
    void count_received(HostedInduct &hosted, UpstreamId from, std::uint64_t bundles,
                        std::uint64_t bytes);

    const config::NodeConfig &config_;
    const config::LinkPlacement placement_;
    Logger log_;
    LogLimiter refusals_log_;
    LogLimiter misfit_log_;
    LogLimiter tired_log_;
    LogLimiter rejected_log_;
    LogLimiter unproved_log_{seconds(10)};
    SlabPool pool_;
    ReadBuffer buffer_;
    std::uint32_t next_upstream_ = 0;
    bus::AgentLoop loop_;
    IngressCore core_;
    telemetry::LinkTallies tallies_;
    NeighbourSessions neighbours_;
    std::map<LinkId, HostedInductPtr> inducts_;
    std::map<LinkId, Span> spans_;
    std::vector<LeavingInduct> leaving_;
    std::set<LinkId> changed_;  ///< not as the configuration has it
    std::unordered_map<UpstreamId, HostedInduct *> induct_of_;
    std::unordered_map<UpstreamId, std::string> peer_names_;  ///< of sessions that have told one
    SessionEnd ending_;                                       ///< of the session that ends just now
    std::size_t closing_ = 0;               ///< inducts whose sessions have not all ended
    std::vector<cla::Induct *> published_;  ///< inducts that acknowledge_senders() has settle()d
    bool settling_ = false;
    bool unacknowledged_ = false;
    telemetry::ChangedValues reported_;
    std::uint64_t published_residence_ =
        0;  ///< values of the histogram that telemetry has heard of
    std::uint64_t reports_ = 0;
    TimePoint stop_deadline_ = kNever;
    bool opened_ = false;
    bool failed_ = false;  ///< an induct could not be opened
    bool stopping_ = false;
};

}  // namespace farlink::ingress
