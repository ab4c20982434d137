// SPDX-License-Identifier: Apache-2.0
// Ingress on the bus: hosts the inducts, feeds their bundles to the core, sends its messages.
// Made by the program, run on a thread of its own; everything but the constructor and the
// destructor happens on that thread.
#pragma once

#include <vector>

#include "cla/api/link.hpp"
#include "cla/io/resources.hpp"
#include "common/base/peer_limiter.hpp"
#include "common/bus/loop/agent_loop.hpp"
#include "common/bus/loop/telemetry_reports.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/telemetry/changed_values.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/ingress/bundle_warnings.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "module/ingress/hosted_inducts.hpp"
#include "module/ingress/induct_reports.hpp"
#include "module/ingress/neighbour_sessions.hpp"
#include "module/ingress/security_rules.hpp"

namespace farlink::ingress {

class IngressAgent final : public cla::LinkHost {
public:
    /// `self`: kIngress, or a further instance of it. `stalled_after`: the log names a peer that
    /// sends nothing for so long after refusals.
    IngressAgent(const config::NodeConfig &config, bus::BusContext &context,
                 bus::AgentId self = bus::AgentId::kIngress,
                 Duration stalled_after = Upstreams::kStalledAfter);
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
    void on_bundles_refused(LinkId link, UpstreamId from, std::uint64_t bundles,
                            bool in_order) override;
    void on_too_large(LinkId link, std::uint64_t bundles) override;

private:
    void handle(bus::Message message);
    void handle_link_change(const bus::LinkChange &change);
    void handle_settings(const bus::SettingsChange &change);
    void handle_storage_ready(const bus::StorageReady &ready);
    void handle_reserve(const bus::StorageReserve &reserve);
    void handle_module(const bus::ModuleLost &lost);
    void handle_module(const bus::ModuleBack &back);
    [[nodiscard]] bus::AgentId own_egress() const;
    void drain_outputs();
    [[nodiscard]] bool send_from_here(BatchPtr &batch);
    void acknowledge_senders();
    void pause_upstreams();
    void log_stalled_peers();
    void log_session_end(LinkId link, UpstreamId from, const SessionEnd &end, cla::LinkFault fault);
    void count_deviations();
    void note_trouble(HostedInduct &hosted, const SessionEnd &end, cla::LinkFault fault);
    void forget_troubles();
    void publish_ready();
    void on_second();
    void on_report();
    void report_counters(bool last);
    void begin_stop();

    Logger log_;
    LogLimiter session_log_{seconds(1)};
    PeerLimiter ended_sessions_{seconds(10)};  ///< those that are logged beside session_log_
    PeerLimiter unproved_log_{seconds(10)};
    SlabPool pool_;
    ReadBuffer buffer_;
    std::uint32_t next_upstream_ = 0;
    bus::AgentLoop loop_;
    SecurityRules security_;
    IngressCore core_;
    telemetry::LinkTallies tallies_;
    NeighbourSessions neighbours_;
    BundleWarnings warnings_{log_};
    InductReports reports_;
    HostedInducts inducts_;
    SessionEnd ending_;                    ///< of the session that ends just now
    std::vector<cla::Induct *> to_flush_;  ///< inducts with new acknowledgements
    bool draining_outputs_ = false;        ///< drain_outputs() runs
    bool drain_again_ = false;             ///< outputs came while it ran
    telemetry::ChangedValues reported_;
    bus::ReportedHistogram reported_residence_;  ///< as telemetry has it
    std::uint64_t counter_reports_ = 0;
    TimePoint stop_deadline_ = kNever;
    TimePoint ping_began_{};  ///< the last one
    bool opened_ = false;
    bool failed_ = false;  ///< an induct could not be opened
    bool stopping_ = false;
};

}  // namespace farlink::ingress
