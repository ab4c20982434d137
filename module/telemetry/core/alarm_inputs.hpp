// SPDX-License-Identifier: Apache-2.0
// Gathers what alarms need: from messages, from the view of the node, and from its agent.
// Owned by NodeView; one thread.
// Routes are kept as ingress and storage keep them, so that static routes and policies count.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "common/routing/forwarding_table.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"
#include "module/telemetry/core/alarms/unchecked_peers.hpp"
#include "module/telemetry/core/live_state.hpp"
#include "module/telemetry/core/telemetry_core.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

class AlarmInputs {
public:
    explicit AlarmInputs(const config::NodeConfig &config);

    void handle(const bus::RouteUpdate &update);
    /// `plan` and `remainingContacts` of the supervisor's `status` (docs/formats/control.md).
    void handle_status(const Json &status);
    void set_clock_synchronised(bool synchronised) { synchronised_ = synchronised; }
    void set_certificates(std::vector<CertificateFacts> certificates) {
        certificates_ = std::move(certificates);
    }
    /// The routing rules of the configuration have changed.
    void set_routing(const config::RoutingConfig &routing) { table_.set_rules(routing); }
    /// Links that are added, changed and removed.
    [[nodiscard]] UncheckedPeers &unchecked() { return unchecked_; }
    /// Why no history is written; empty: it is.
    void set_history_fault(const std::string &why) { history_fault_ = why; }

    [[nodiscard]] AlarmFacts facts(const TelemetryCore &core, const LiveState &state,
                                   bool storage_full, DtnTime wall);

private:
    [[nodiscard]] std::vector<WaitingFacts> waiting(const TelemetryCore &core, DtnTime wall);
    [[nodiscard]] static std::vector<LinkFacts> links(const TelemetryCore &core,
                                                      const LiveState &state);

    NodeNumber node_;
    routing::ForwardingTable table_;
    bool routes_known_ = false;
    PlanFacts plan_;
    bool plan_known_ = false;  ///< the supervisor has replied
    std::vector<CertificateFacts> certificates_;
    UncheckedPeers unchecked_;
    bool synchronised_ = true;
    std::string history_fault_;
};

}  // namespace farlink::telemetry
