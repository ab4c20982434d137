// SPDX-License-Identifier: Apache-2.0
// A whole farlink node in a simulation: all cores of its modules, a bus between them, and a disk.
// Owned by a SimWorld; one thread, on its clock. kill() loses everything but the disk's flushed
// octets; start() recovers the node from them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/base/random.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/ledger.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "module/egress/core/refusals.hpp"
#include "tests/sim/sim_link.hpp"
#include "tests/support/sim_disk.hpp"

namespace farlink::sim {

struct NodeOptions {
    NodeNumber number;
    std::uint64_t seed = 0;
    /// In absolute DTN milliseconds; without a plan every outduct has an endless contact.
    std::optional<std::vector<bus::Contact>> plan;
    std::uint64_t buffer_bytes = 16 * 1024 * 1024;
    std::uint64_t storage_bytes = 256 * 1024 * 1024;
    std::uint64_t window_bytes = 512 * 1024;  ///< of each outduct
    std::uint32_t window_bundles = 1024;
    Duration max_pause = seconds(1);
    Duration acknowledge_within = milliseconds(20);
    std::uint32_t stored_share_percent = 50;                             ///< of each outduct
    bool fragment_to_contact = false;                                    ///< likewise
    config::NoResources on_no_resources = config::NoResources::kRefuse;  ///< reaction when full
    bool overtake_stored = false;
    bool anonymous = false;            ///< its sessions do not name its node number
    std::uint32_t event_loss_ppm = 0;  ///< events that the bus drops, per million
    farlink::test::SimDiskSpeed disk_speed{};
    config::CustodyConfig custody{};
    bool takes_custody = true;  ///< otherwise it forwards bundles with their custodian unchanged
    config::RoutingConfig routing{};
    std::uint64_t spool_above = ~std::uint64_t{0};  ///< larger bundles arrive in pieces
};

class SimNode final : public LinkSender, public LinkReceiver {
public:
    SimNode(SimClock &clock, const NodeOptions &options);
    ~SimNode() override;

    /// Before start(): an outduct to this neighbour that uses `link`.
    void add_outduct(NodeNumber neighbour, SimLink &link);
    void start();
    void kill();
    /// From now on the wall clock of the node has this offset.
    void set_clock_error(Duration error);
    /// The operator confirms the clock.
    void confirm_clock();
    /// Sends a module an operator's command, as the supervisor does.
    void command(bus::AgentId to, bus::Message message);
    void set_link(const SimLink &link, bool enabled) {
        command(bus::AgentId::kScheduler, bus::LinkAdmin{id_of(link), enabled});
    }
    void replace_plan(std::vector<bus::Contact> contacts) {
        command(bus::AgentId::kScheduler, bus::PlanReplace{false, std::move(contacts)});
    }
    [[nodiscard]] bool running() const { return running_ != nullptr; }

    /// The meaning of a refusal by a neighbour; the links report only that there was a refusal.
    void set_refusal(egress::NextHopRefusal refusal) { refusal_ = refusal; }

    [[nodiscard]] NodeNumber number() const { return options_.number; }
    /// Whether no message is in flight, and no batch is lent or being written.
    [[nodiscard]] bool quiet() const;
    [[nodiscard]] telemetry::Ledger ledger() const;
    [[nodiscard]] std::uint64_t stored_total() const;
    [[nodiscard]] std::uint64_t held() const;
    [[nodiscard]] std::uint64_t value(telemetry::IngressCounter counter) const;
    [[nodiscard]] std::uint64_t value(telemetry::EgressCounter counter) const;
    [[nodiscard]] std::uint64_t value(telemetry::StorageCounter counter) const;
    [[nodiscard]] std::uint64_t events_lost() const;
    [[nodiscard]] farlink::test::SimDirectory &directory() { return directory_; }

    // ---- LinkSender
    [[nodiscard]] NodeNumber node() const override {
        return options_.anonymous ? NodeNumber{} : options_.number;
    }
    void on_connected(SimLink &link) override;
    void on_disconnected(SimLink &link) override;
    void on_transmitted(SimLink &link, std::uint64_t token) override;
    void on_writable(SimLink &link) override;
    void on_refused(SimLink &link, std::uint64_t token) override;
    // ---- LinkReceiver
    [[nodiscard]] bool accepts_connections() const override;
    [[nodiscard]] UpstreamId new_session(SimLink &link) override;
    void on_readable(SimLink &link, UpstreamId session) override;
    void on_session_closed(SimLink &link, UpstreamId session) override;

private:
    struct Running;

    [[nodiscard]] WallClock wall_clock() const;
    [[nodiscard]] LinkId id_of(const SimLink &link) const;
    void acknowledge();
    void serve_links();
    void arm();
    [[nodiscard]] bool read_some(SimLink &link, UpstreamId session);
    [[nodiscard]] bool read_piece(SimLink &link, UpstreamId session, const Bytes &octets);
    void read_starved();

    SimClock &clock_;
    NodeOptions options_;
    Random random_;
    config::NodeConfig config_;
    std::vector<SimLink *> outducts_;
    std::vector<SimLink *> inducts_;  ///< every link that has connected to this node
    farlink::test::SimDirectory directory_;
    std::uint64_t life_ = 0;  ///< counts start() and kill(): events of another life are ignored
    std::uint32_t next_session_ = 1;
    TimePoint armed_ = kNever;
    Duration clock_error_{};
    egress::NextHopRefusal refusal_ = egress::NextHopRefusal::kNoRoom;
    std::unique_ptr<Running> running_;
};

}  // namespace farlink::sim
