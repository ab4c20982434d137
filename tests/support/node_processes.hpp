// SPDX-License-Identifier: Apache-2.0
// A node as several programs under test, joined by ipc or tcp.
// Owned by one test; one thread.
// Counters come once a second from the process with telemetry, and a last time at its end.
#pragma once

#include <memory>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test {

inline const std::vector<std::string> kAllModules{"ingress",   "egress", "storage",
                                                  "scheduler", "router", "telemetry"};

/// The `bus` section: sockets in the folder.
inline nlohmann::json ipc_bus(const TempFolder &folder) {
    nlohmann::json bus;
    for (const std::string &module : kAllModules) bus[module] = "ipc://" + folder / module;
    bus["supervisor"] = "ipc://" + folder / "supervisor";
    return bus;
}

/// Likewise by tcp, with keys that farlinkctl makes in the folder.
class TcpBus {
public:
    explicit TcpBus(const TempFolder &folder) {
        ChildProcess keys({program("farlinkctl"), "keys", "make", folder / "keys"});
        EXPECT_EQ(keys.wait(), 0) << keys.unread(ChildProcess::kErr);
        std::getline(std::ifstream(folder / "keys/bus.public"), public_key_);
    }
    [[nodiscard]] nlohmann::json section() const {
        nlohmann::json bus{{"publicKey", public_key_}, {"secretKeyFile", "keys/bus.secret"}};
        std::size_t next = 0;
        for (const std::string &module : kAllModules) bus[module] = address(next++);
        bus["supervisor"] = address(next);
        return bus;
    }

private:
    [[nodiscard]] std::string address(std::size_t place) const {
        return "tcp://127.0.0.1:" + std::to_string(ports_[place].number());
    }

    ReservedPort ports_[7];
    std::string public_key_;
};

class NodeProcesses {
public:
    /// Starts a process for each of `groups`, which are values of `--modules`.
    NodeProcesses(const TempFolder &folder, const nlohmann::json &config,
                  const std::vector<std::string> &groups) {
        folder.write("node.json", config.dump());
        for (const std::string &group : groups) {
            children_.push_back(std::make_unique<ChildProcess>(
                std::vector<std::string>{program("farlink"), "--config", folder / "node.json",
                                         "--counters", "--modules", group}));
            if (has(group, "scheduler")) supervisor_ = children_.back().get();
            if (has(group, "telemetry")) telemetry_ = children_.back().get();
            names_.push_back(group);
        }
        const auto ready =
            nlohmann::json::parse(supervisor_->line(ChildProcess::kOut), nullptr, false);
        if (ready.is_object() && ready.contains("ports"))
            ports_ = ready["ports"].get<std::vector<std::uint16_t>>();
        else
            publish_all();
    }
    [[nodiscard]] std::uint16_t port(std::size_t induct = 0) const {
        return induct < ports_.size() ? ports_[induct] : std::uint16_t{0};
    }
    [[nodiscard]] std::uint64_t value(const std::string &counter) const {
        return counters_.value(counter, std::uint64_t{0});
    }
    template <class Done>
    [[nodiscard]] bool wait_until(Done done, int most_seconds = 30) {
        for (int i = 0; i < most_seconds && read_counters(); ++i)
            if (done()) return true;
        ADD_FAILURE() << counters_;
        publish_all();
        return false;
    }
    /// Waits until the process with the scheduler logs a line with these words.
    [[nodiscard]] bool supervisor_says(const std::string &words) {
        for (;;) {
            const std::string said = supervisor_->line(ChildProcess::kErr);
            if (said.find(words) != std::string::npos) return true;
            if (!said.empty()) continue;
            publish_all();
            return false;
        }
    }
    /// Stops one process by SIGTERM; all others must end too, and the ledger must balance.
    void stop(std::size_t published) {
        children_[published]->signal(SIGTERM);
        for (std::size_t at = 0; at < children_.size(); ++at)
            EXPECT_EQ(children_[at]->wait(), 0)
                << names_[at] << ": " << children_[at]->unread(ChildProcess::kErr);
        const std::string &said = telemetry_->unread(ChildProcess::kErr);
        EXPECT_NE(said.find("balanced"), std::string::npos) << said;
        EXPECT_EQ(said.find("NOT balanced"), std::string::npos) << said;
    }
    [[nodiscard]] ChildProcess &child(std::size_t at) { return *children_[at]; }

private:
    static bool has(const std::string &group, const std::string &module) {
        return group.find(module) != std::string::npos;
    }
    bool read_counters() {
        auto said = nlohmann::json::parse(telemetry_->line(ChildProcess::kOut), nullptr, false);
        if (!said.is_object()) return false;
        counters_ = std::move(said);
        return true;
    }
    void publish_all() const {
        for (std::size_t at = 0; at < children_.size(); ++at) {
            children_[at]->take_output();
            ADD_FAILURE() << names_[at] << ": " << children_[at]->unread(ChildProcess::kErr);
        }
    }

    std::vector<std::unique_ptr<ChildProcess>> children_;
    std::vector<std::string> names_;
    ChildProcess *supervisor_ = nullptr;
    ChildProcess *telemetry_ = nullptr;
    std::vector<std::uint16_t> ports_;
    nlohmann::json counters_ = nlohmann::json::object();
};

}  // namespace farlink::test
