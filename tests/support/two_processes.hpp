// SPDX-License-Identifier: Apache-2.0
// Two bus contexts in one test, like those of two processes of a node: storage in the first, egress
// in the second.
// Owned by the test; one thread, until the test starts more.
// By ipc, or by tcp with keys.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "common/bus/zmq/zmq_bus.hpp"
#include "common/bus/zmq/zmq_bus_keys.hpp"
#include "tests/support/bus_wait.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::test {

enum class Wire { kIpc, kTcp };

/// For tests that run with each.
inline const auto kBothWires = testing::Values(Wire::kIpc, Wire::kTcp);
inline std::string name_of_wire(const testing::TestParamInfo<Wire> &wire) {
    return wire.param == Wire::kIpc ? "Ipc" : "TcpWithKeys";
}

/// The configuration that both processes share.
class TwoProcesses {
public:
    explicit TwoProcesses(Wire wire) {
        for (bus::BusTopology *topology : {&first, &second}) {
            address(*topology, bus::AgentId::kStorage) = address_of(wire, "storage", ports_[0]);
            address(*topology, bus::AgentId::kEgress) = address_of(wire, "egress", ports_[1]);
            if (wire == Wire::kTcp) topology->curve = keys_;
            topology->software = {'1'};
        }
        first.elsewhere[static_cast<std::size_t>(bus::AgentId::kEgress)] = true;
        second.elsewhere[static_cast<std::size_t>(bus::AgentId::kStorage)] = true;
    }

    bus::BusTopology first;
    bus::BusTopology second;

    static std::string &address(bus::BusTopology &topology, bus::AgentId module) {
        return topology.addresses[static_cast<std::size_t>(module)];
    }
    [[nodiscard]] std::string path_of(const std::string &module) const { return folder_ / module; }

private:
    [[nodiscard]] std::string address_of(Wire wire, const std::string &module,
                                         const ReservedPort &port) const {
        if (wire == Wire::kIpc) return "ipc://" + path_of(module);
        return "tcp://127.0.0.1:" + std::to_string(port.number());
    }

    TempFolder folder_;
    ReservedPort ports_[2];
    bus::CurveKeys keys_ = bus::make_curve_keys().value_or(bus::CurveKeys{});
};

/// Runs until both have greeted each other, or one rejects the other, or the limit.
inline void meet(bus::BusContext &one, bus::BusContext &other, int turns = 1000) {
    for (int turn = 0; turn < turns; ++turn) {
        const auto first = one.meet(milliseconds(5));
        const auto second = other.meet(milliseconds(5));
        if (first.complete() && second.complete()) return;
        if (!first.mismatch.empty() && !second.mismatch.empty()) return;
    }
}

}  // namespace farlink::test
