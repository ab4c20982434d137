// SPDX-License-Identifier: Apache-2.0
// A whole node inside a test: its modules run on threads of their own; the test is its supervisor.
// Owned by one test, whose loop runs the supervisor's port on the bus; one thread.
// Its store is in a temporary folder; its ledger must balance at the end.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "common/bus/loop/bus_pump.hpp"
#include "common/config/node/load_node_config.hpp"
#include "module/egress/egress_agent.hpp"
#include "module/ingress/ingress_agent.hpp"
#include "module/router/router_agent.hpp"
#include "module/scheduler/scheduler_agent.hpp"
#include "module/storage/storage_agent.hpp"
#include "module/telemetry/telemetry_agent.hpp"
#include "tests/support/link_bench.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::test {

class ModuleThreads {
public:
    ModuleThreads(LinkBench &bench, nlohmann::json config)
        : bench_(bench),
          config_(parsed(std::move(config), folder_)),
          port_(context_, bus::AgentId::kSupervisor, {}),
          pump_(
              bench.io, port_, [this](bus::Message message) { handle(std::move(message)); }, [] {}),
          scheduler_(config_, std::nullopt, context_),
          router_(config_, context_),
          telemetry_(context_, telemetry::TelemetryOptions{}),
          egress_(config_, context_),
          storage_(config_, context_),
          ingress_(config_, context_) {
        EXPECT_TRUE(storage_.open());
        for (Module &module : modules_) module.start();
        pump_.start();
        EXPECT_TRUE(bench_.run_until([this] { return ready_ == std::size(modules_); }));
        port_.send(bus::AgentId::kTelemetry,
                   bus::ModuleReady{.module = bus::AgentId::kSupervisor, .ports = ports_});
    }
    ModuleThreads(const ModuleThreads &) = delete;
    ModuleThreads &operator=(const ModuleThreads &) = delete;
    ~ModuleThreads() { stop(); }

    [[nodiscard]] std::uint16_t port(std::size_t induct) const { return ports_[induct]; }

    /// Sends the change without waiting for its answer.
    void order(bus::LinkVerb verb, bool outduct, LinkId link, const nlohmann::json &config = {}) {
        bus::LinkChange change{.verb = verb, .link = link, .outduct = outduct, .config = {}};
        if (verb != bus::LinkVerb::kRemove) {
            const std::string text = config.is_string() ? config.get<std::string>() : config.dump();
            change.config.assign(text.begin(), text.end());
        }
        port_.send(outduct ? bus::AgentId::kEgress : bus::AgentId::kIngress, std::move(change));
        ++ordered_;
    }
    /// The error of the last change; empty: none.
    [[nodiscard]] std::string answer() {
        EXPECT_TRUE(bench_.run_until([this] { return answered_ == ordered_; }));
        return {result_.error.begin(), result_.error.end()};
    }
    [[nodiscard]] std::string change(bus::LinkVerb verb, bool outduct, LinkId link,
                                     const nlohmann::json &config = {}) {
        order(verb, outduct, link, config);
        return answer();
    }
    /// The port on which the induct of the last change listens.
    [[nodiscard]] std::uint16_t changed_port() const { return result_.port; }

    /// Sends the messages that a node's supervisor sends.
    void send(bus::AgentId to, bus::Message message) { port_.send(to, std::move(message)); }

    /// Stops the modules in the order of the program.
    void stop() {
        if (std::exchange(stopped_, true)) return;
        port_.send(bus::AgentId::kEgress, bus::Stop{.drain = true});
        for (Module &module : modules_) {
            port_.send(module.id, bus::Stop{.drain = false});
            EXPECT_TRUE(bench_.run_until([&module] { return module.ended.load(); }));
            module.thread.join();
        }
        const auto ledger = telemetry_.ledger();
        ASSERT_TRUE(ledger);
        EXPECT_TRUE(ledger->balanced()) << ledger->to_table();
    }

private:
    struct Module {
        bus::AgentId id;
        std::function<void()> run;
        std::atomic<bool> ended = false;
        std::thread thread{};
        void start() {
            thread = std::thread([this] {
                run();
                ended = true;
            });
        }
    };

    static config::NodeConfig parsed(nlohmann::json json, const TempFolder &folder) {
        json["storageConfig"] = {{"storeFilePath", "store"}};
        auto config = config::parse_node_config(json.dump(), folder.path().string());
        EXPECT_TRUE(config) << config.error().to_string();
        return config ? std::move(*config) : config::NodeConfig{};
    }
    void handle(bus::Message message) {
        if (auto *module = std::get_if<bus::ModuleReady>(&message)) {
            EXPECT_FALSE(module->failed);
            if (module->module == bus::AgentId::kIngress) ports_ = std::move(module->ports);
            if (module->module == bus::AgentId::kRouter)
                port_.send(bus::AgentId::kRouter, bus::DestinationHold{});
            ++ready_;
        }
        if (auto *result = std::get_if<bus::LinkChangeResult>(&message)) {
            result_ = std::move(*result);
            ++answered_;
        }
    }

    LinkBench &bench_;
    TempFolder folder_;
    config::NodeConfig config_;
    bus::BusContext context_;
    bus::BusPort port_;
    bus::BusPump pump_;
    scheduler::SchedulerAgent scheduler_;
    router::RouterAgent router_;
    telemetry::TelemetryAgent telemetry_;
    egress::EgressAgent egress_;
    storage::StorageAgent storage_;
    ingress::IngressAgent ingress_;
    Module modules_[6] = {
        {bus::AgentId::kIngress, [this] { ingress_.run(); }},
        {bus::AgentId::kStorage, [this] { storage_.run(); }},
        {bus::AgentId::kEgress, [this] { egress_.run(); }},
        {bus::AgentId::kRouter, [this] { router_.run(); }},
        {bus::AgentId::kScheduler, [this] { scheduler_.run(); }},
        {bus::AgentId::kTelemetry, [this] { telemetry_.run(); }},
    };
    bus::LinkChangeResult result_;
    std::vector<std::uint16_t> ports_;
    std::size_t ready_ = 0;
    std::size_t ordered_ = 0;
    std::size_t answered_ = 0;
    bool stopped_ = false;
};

}  // namespace farlink::test
