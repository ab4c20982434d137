// SPDX-License-Identifier: Apache-2.0
// Large random contact plans, the same for the same seed on every machine.
// For the benchmark and the tests of the router; values, one thread.
// `large_plans` of tests/vectors/cgr.json describes the same generator.
#pragma once

#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::bench {

struct PlanParameters {
    std::uint64_t seed = 1'000'734;
    std::uint64_t nodes = 1000;
    std::uint64_t contacts = 100'000;
    std::uint64_t horizon_s = 86'400;
    std::uint64_t shortest_s = 60;
    std::uint64_t longest_s = 600;
};

class PlanGenerator {
public:
    explicit PlanGenerator(const PlanParameters &parameters)
        : parameters_(parameters), state_(parameters.seed) {}

    [[nodiscard]] std::vector<bus::Contact> plan() {
        std::vector<bus::Contact> contacts;
        while (contacts.size() < parameters_.contacts) {
            bus::Contact contact = next();
            contact.id = contacts.size();
            if (contact.source != contact.destination) contacts.push_back(contact);
        }
        return contacts;
    }
    /// One more row; it may lead from a node to itself.
    [[nodiscard]] bus::Contact next() {
        const std::uint64_t spread = parameters_.longest_s - parameters_.shortest_s + 1;
        const NodeNumber from{1 + draw() % parameters_.nodes};
        const NodeNumber to{1 + draw() % parameters_.nodes};
        const DtnTime start = draw() % parameters_.horizon_s;
        const DtnTime end = start + parameters_.shortest_s + draw() % spread;
        const BitRate rate{8 * 1000 * (1 + draw() % 100)};
        const seconds light(draw() % 10);
        return {0, from, to, start * 1000, end * 1000, rate, light};
    }

private:
    std::uint64_t draw() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return (state_ * 2685821657736338717ULL) >> 33;
    }

    PlanParameters parameters_;
    std::uint64_t state_;
};

}  // namespace farlink::bench
