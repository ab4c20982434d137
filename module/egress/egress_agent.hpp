// SPDX-License-Identifier: Apache-2.0
// Egress on the bus: hosts the ways out, renders what the core chooses into them, carries outcomes.
// Made by the program, run on a thread of its own; everything but the constructor and the
// destructor happens on that thread.
#pragma once

#include <memory>
#include <optional>
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
#include "module/egress/core/egress_core.hpp"
#include "module/egress/relayed_outduct.hpp"
#include "module/egress/unacknowledged_transfers.hpp"

namespace farlink::egress {

class EgressAgent final : public cla::LinkHost {
public:
    /// `self`: kEgress, or a further instance of it.
    EgressAgent(const config::NodeConfig &config, bus::BusContext &context,
                bus::AgentId self = bus::AgentId::kEgress);
    ~EgressAgent() override;

    /// Serves until a Stop message has been carried out.
    void run();

    void on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) override;
    void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) override;
    void on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault fault) override;
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

private:
    struct HostedLink {
        std::unique_ptr<cla::Outduct> outduct;
        RelayedOutduct *relayed = nullptr;  ///< the same, when ingress hosts the session
        NodeNumber neighbour;
        std::string name;  ///< for the log; of an outduct, its URL
        cla::LinkState state = cla::LinkState::kClosed;
        std::string unreachable{};  ///< why the last attempt to connect failed, once logged
        std::string published{};    ///< the reason that telemetry has
        std::string detail{};       ///< of why its session ends just now
        bool leaving = false;       ///< removed, and refers to bundles until it has closed
        std::optional<config::OutductConfig> successor;  ///< takes its place then
    };

    /// A session on a link of egress, by which bundles come.
    struct Upstream {
        LinkId link = kNoLink;
        bool acknowledges = false;
        UnacknowledgedTransfers unacknowledged;  ///< followed while ingress is in another process
    };

    void handle(bus::Message message);
    void handle_link_change(const bus::LinkChange &change);
    void handle_session(const bus::SessionChange &change);
    void handle_module(const bus::ModuleLost &lost);
    void handle_module(const bus::ModuleBack &back);
    [[nodiscard]] bus::AgentId own_ingress() const;
    void handle_ingress_lost();
    void refuse_unacknowledged(UpstreamId session, Upstream &upstream);
    void announce_upstreams();
    void publish_ready();
    void handle_returned(BatchPtr batch);
    void handle_pause(const bus::UpstreamPause &pause);
    void handle_disposition(const bus::TransferDispositions &change);
    void handle_stop(const bus::Stop &stop);
    void add_outduct(const config::OutductConfig &config);
    void add_link(const config::OutductConfig &config);
    [[nodiscard]] std::string change_link(const bus::LinkChange &change);
    void replace(LinkId id, std::optional<config::OutductConfig> successor);
    void restore_outducts();
    void leave(LinkId id, HostedLink &link);
    void bid_farewell(LinkId link);
    [[nodiscard]] HostedLink *hosted(LinkId link);
    [[nodiscard]] cla::Outduct *outduct_of(UpstreamId upstream);
    void drain_outputs();
    void drain_outputs_when_outside();
    void carry_out(const LinkOrder &order);
    void transmit(LinkId link);
    void on_second();
    void on_report();
    void report_counters(bool last);
    void publish_reason(LinkId id, HostedLink &link, bool was_up, cla::LinkFault fault);
    void warn_once(LinkId id, HostedLink &link, std::string_view what, std::string_view why);
    void publish_state(LinkId id, HostedLink &link, std::string_view reason = {});

    const config::NodeConfig &config_;
    Logger log_;
    LogLimiter link_log_;
    SlabPool pool_;
    ReadBuffer buffer_;
    BatchPool batches_;  ///< lent to ingress
    std::uint32_t next_upstream_;
    bus::AgentLoop loop_;
    EgressCore core_;
    std::unordered_map<LinkId, HostedLink> links_;
    std::set<LinkId> changed_;  ///< outducts that are not as the configuration has them
    std::unordered_map<UpstreamId, Upstream> upstreams_;
    bool ingress_elsewhere_;  ///< its process may die, and this one go on
    bool ingress_lost_ = false;
    /// Links that were removed, and when they have had time enough to close.
    std::vector<std::pair<TimePoint, std::unique_ptr<cla::Outduct>>> removed_;
    std::vector<TxBundle> tx_;
    telemetry::ChangedValues reported_;
    std::uint64_t reports_ = 0;
    bool settling_ = false;
    bool unacknowledged_ = false;
    bool stopping_ = false;
};

}  // namespace farlink::egress
