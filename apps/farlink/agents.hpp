// SPDX-License-Identifier: Apache-2.0
// The modules that this process runs, each on a thread of its own.
// Owned by the Node; the main thread.
// They are made, opened, started, and joined when they have ended.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "apps/farlink/module_choice.hpp"
#include "apps/farlink/options.hpp"
#include "common/runtime/log/log.hpp"
#include "common/telemetry/ledger.hpp"
#include "module/applications/applications_agent.hpp"
#include "module/control/core/plan_store.hpp"
#include "module/egress/egress_agent.hpp"
#include "module/ingress/ingress_agent.hpp"
#include "module/router/router_agent.hpp"
#include "module/scheduler/scheduler_agent.hpp"
#include "module/storage/storage_agent.hpp"
#include "module/telemetry/telemetry_agent.hpp"

namespace farlink::app {

class Agents {
public:
    /// All but `choice` are borrowed.
    Agents(const config::NodeConfig &config, const control::PlanStore &plan, const Options &options,
           const ModuleChoice &choice, bus::BusContext &context);
    ~Agents();

    /// Opens the store, where storage is here, and checks that the processors of
    /// `threads.processors` exist; false: the reason is in the log.
    [[nodiscard]] bool open();
    /// `on_ended` is called on the loop `io` when a module has ended.
    void start(boost::asio::io_context &io, const std::function<void(bus::AgentId)> &on_ended);
    /// Waits for the started modules; each has got Stop.
    void join();
    /// Where telemetry is here; after join().
    [[nodiscard]] std::optional<telemetry::Ledger> ledger() const;

private:
    /// One of several.
    template <class Agent>
    struct Instance {
        bus::AgentId module;
        std::unique_ptr<Agent> agent;
    };
    using OnEnded = std::function<void(bus::AgentId)>;

    template <class Agent>
    void run(Agent &agent, bus::AgentId module, boost::asio::io_context &io,
             const OnEnded &on_ended);
    [[nodiscard]] std::optional<std::uint32_t> processor_of(bus::AgentId module) const;

    const config::NodeConfig &config_;
    const std::set<bus::AgentId> here_;
    Logger log_{"farlink"};
    std::optional<scheduler::SchedulerAgent> scheduler_;
    std::optional<router::RouterAgent> router_;
    std::optional<telemetry::TelemetryAgent> telemetry_;
    std::vector<Instance<egress::EgressAgent>> egress_;
    std::optional<storage::StorageAgent> storage_;
    std::vector<Instance<ingress::IngressAgent>> ingress_;
    std::optional<applications::ApplicationsAgent> applications_;
    std::vector<std::thread> threads_;
};

}  // namespace farlink::app
