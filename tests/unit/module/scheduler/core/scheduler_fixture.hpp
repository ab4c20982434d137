// SPDX-License-Identifier: Apache-2.0
// A scheduler core with a plan, and its messages as lines of text.
// Owned by one test; virtual time.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "module/scheduler/core/scheduler_core.hpp"

namespace farlink::scheduler {

using Lines = std::vector<std::string>;

inline constexpr NodeNumber kNode{1};
inline constexpr LinkId kLinkA{4};
inline constexpr LinkId kLinkB{5};

template <class... Overloads>
struct Overloaded : Overloads... {
    using Overloads::operator()...;
};

inline std::string line(std::string_view what, LinkId link) {
    return std::string(what) + " " + std::to_string(link.value());
}

/// One line a message, so that a test compares a sequence.
inline std::string describe(const bus::Message &message) {
    return std::visit(
        Overloaded{
            [](const bus::ContactStart &m) {
                return line("start", m.link) + " until " + std::to_string(m.ends);
            },
            [](const bus::ContactEnd &m) { return line("end", m.link); },
            [](const bus::LinkUp &m) {
                return line("up", m.link) + " at " + std::to_string(m.rate.value());
            },
            [](const bus::LinkDown &m) {
                constexpr std::array kWhy{" ended", " lost", " by operator", " removed"};
                return line("down", m.link) + kWhy[static_cast<std::size_t>(m.reason)];
            },
            [](const bus::ContactsUpdate &m) {
                return "plan of " + std::to_string(m.contacts.size());
            },
            [](const bus::ContactsChange &m) {
                return "plan -" + std::to_string(m.removed.size()) + " +" +
                       std::to_string(m.added.size());
            },
            [](const bus::LinkSnapshot &m) {
                std::string text = "snapshot";
                for (const bus::LinkEntry &entry : m.links)
                    text += line("", entry.link) + (entry.planned ? "p" : "-") +
                            (entry.connected ? "c" : "-") + (entry.enabled ? "" : "x");
                return text;
            },
            [](const auto &) { return std::string("?"); },
        },
        message);
}

inline TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

inline bus::Contact contact(std::uint64_t id, std::uint64_t to, DtnTime start, DtnTime end,
                            std::uint64_t rate = 8000) {
    return {id, kNode, NodeNumber{to}, start, end, BitRate{rate}, {}};
}

/// DTN time 1,000,000 ms is monotonic time 0.
inline constexpr DtnTime kZero = 1'000'000;

struct Fixture {
    explicit Fixture(std::optional<std::vector<bus::Contact>> plan,
                     std::vector<OutductEntry> outducts = {{kLinkA, NodeNumber{2}}})
        : core({kNode, std::move(outducts), std::move(plan), 77, {at(0), kZero}}) {}

    Lines drain() {
        Lines lines;
        while (auto message = core.poll_message()) {
            if (message->publish) last_sequence = sequence_of(message->message);
            lines.push_back(describe(message->message));
        }
        return lines;
    }
    Lines status(LinkId link, bool connected, std::int64_t ms) {
        return report({.link = link, .neighbour = NodeNumber{2}, .connected = connected}, ms);
    }
    Lines report(const bus::LinkStatus &status, std::int64_t ms) {
        core.handle(status, at(ms));
        return drain();
    }
    Lines advance(std::int64_t ms) {
        core.handle_timeout(at(ms));
        return drain();
    }
    std::uint64_t sequence_of(const bus::Message &message) {
        return std::visit(
            [](const auto &event) -> std::uint64_t {
                if constexpr (requires { event.header; }) {
                    EXPECT_EQ(event.header.epoch, 77U);
                    return event.header.sequence;
                }
                return 0;
            },
            message);
    }

    SchedulerCore core;
    std::uint64_t last_sequence = 0;
};

/// The first link of a snapshot that the supervisor requests.
inline bus::LinkEntry only_entry(Fixture &f, std::int64_t ms) {
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kSupervisor},
                  at(ms));
    bus::LinkEntry entry;
    while (auto message = f.core.poll_message())
        if (const auto *snapshot = std::get_if<bus::LinkSnapshot>(&message->message))
            entry = snapshot->links.at(0);
    return entry;
}

}  // namespace farlink::scheduler
