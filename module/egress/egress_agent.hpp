// SPDX-License-Identifier: Apache-2.0
// Egress on the bus: hosts the outducts, gives them what the core renders, sends its messages.
// Made by the program, run on a thread of its own; everything but the constructor and the
// destructor happens on that thread.
#pragma once

#include <map>
#include <vector>

#include "cla/api/link.hpp"
#include "cla/io/resources.hpp"
#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/runtime/log/refused_bundles.hpp"
#include "common/telemetry/changed_values.hpp"
#include "module/egress/core/egress_core.hpp"
#include "module/egress/hosted_links.hpp"
#include "module/egress/link_reports.hpp"
#include "module/egress/outduct_upstreams.hpp"

namespace farlink::egress {

class EgressAgent final : public cla::LinkHost {
public:
    /// `self`: kEgress, or a further instance of it.
    EgressAgent(const config::NodeConfig &config, bus::BusContext &context,
                bus::AgentId self = bus::AgentId::kEgress);
    ~EgressAgent() override;

    /// Serves until a Stop message has been carried out.
    void run();

    void on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) override {
        upstreams_.handle_opened(link, from, acknowledges);
    }
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override {
        upstreams_.handle_bundles(link, from, received);
    }
    void on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault) override {
        upstreams_.handle_closed(link, from);
    }
    void on_ending(LinkId link, const cla::PeerIdentity &peer, std::string_view detail) override;
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override;
    void on_unreachable(LinkId link, std::string_view why) override;
    void on_transmitted(LinkId link, std::uint64_t token) override;
    void on_refused(LinkId link, std::uint64_t token, cla::Refusal refusal) override;
    void on_writable(LinkId link) override;
    void on_deviation(LinkId link, const cla::PeerIdentity &peer,
                      cla::ProtocolDeviation deviation) override;
    void on_counted(LinkId link, const cla::PeerIdentity &peer,
                    std::span<const std::uint64_t> more) override;
    void on_datagrams_lost(LinkId link, std::uint64_t datagrams) override;
    void on_bundles_refused(LinkId link, UpstreamId from, std::uint64_t bundles,
                            bool in_order) override;

private:
    void handle(bus::Message message);
    void handle_settings(const bus::SettingsChange &change);
    void handle_link_change(const bus::LinkChange &change);
    void handle_module(const bus::ModuleLost &lost);
    void handle_module(const bus::ModuleBack &back);
    [[nodiscard]] bus::AgentId own_ingress() const;
    void publish_ready();
    void handle_returned(BatchPtr batch);
    void handle_stop(const bus::Stop &stop);
    void drain_outputs();
    void drain_outputs_when_outside();
    void carry_out(const LinkOrder &order);
    void transmit(LinkId link);
    void on_second();
    void on_report();
    void report_counters(bool last);

    Logger log_;
    SlabPool pool_;
    ReadBuffer buffer_;
    BatchPool batches_;  ///< lent to ingress
    std::uint32_t next_upstream_;
    bus::AgentLoop loop_;
    EgressCore core_;
    LinkReports reports_;
    HostedLinks links_;
    OutductUpstreams upstreams_;
    std::vector<TxBundle> tx_;
    telemetry::ChangedValues reported_;
    std::uint64_t counter_reports_ = 0;
    RefusedBundles refused_arrivals_{log_};
    bool draining_outputs_ = false;  ///< drain_outputs() runs
    bool drain_again_ = false;       ///< outputs came while it ran
    bool stopping_ = false;
};

}  // namespace farlink::egress
