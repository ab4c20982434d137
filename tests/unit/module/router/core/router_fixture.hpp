// SPDX-License-Identifier: Apache-2.0
// A router core between two neighbours, and the links of the routes that it publishes.
// Owned by one test; virtual time.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "module/router/core/router_core.hpp"

namespace farlink::router {

inline constexpr DtnTime kZero = 1'000'000;  ///< DTN time at monotonic time 0

inline TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

inline bus::Contact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, DtnTime start,
                            DtnTime end) {
    return {id, NodeNumber{from}, NodeNumber{to}, kZero + start, kZero + end, BitRate{}, {}};
}

/// Node 1 with links 12 to node 2 and 13 to node 3; node 4 lies behind both of them.
class RouterCoreTest : public testing::Test {
protected:
    RouterCore core{{NodeNumber{1},
                     {{LinkId{13}, NodeNumber{3}}, {LinkId{12}, NodeNumber{2}}},
                     5,
                     {at(0), kZero}}};

    /// The links of the candidates for `destination` in the last RouteUpdate; "-" without one.
    std::string published(std::uint64_t destination = 4) {
        std::string text = "-";
        while (auto message = core.poll_message()) {
            EXPECT_TRUE(message->publish);
            text = links(std::get<bus::RouteUpdate>(message->message), destination);
        }
        return text;
    }
    static std::string links(const bus::RouteUpdate &update, std::uint64_t destination) {
        std::string text;
        for (const bus::Route &route : update.routes) {
            if (route.destination != NodeNumber{destination}) continue;
            for (const bus::RouteCandidate &candidate : route.candidates)
                text += (text.empty() ? "" : " ") + std::to_string(candidate.link.value());
        }
        return text;
    }
    void plan(std::vector<bus::Contact> contacts, std::int64_t ms = 0) {
        core.handle(bus::ContactsUpdate{{}, std::move(contacts)}, at(ms));
    }
    void plan_both_ways() {
        plan({contact(0, 1, 2, 0, 1000), contact(1, 2, 4, 0, 1000), contact(2, 1, 3, 0, 2000),
              contact(3, 3, 4, 100, 2000)});
    }
    void start(std::uint32_t link, std::int64_t ms) {
        core.handle(bus::ContactStart{{}, LinkId{link}, neighbour_of(link), {}, {}, 0}, at(ms));
    }
    void up(std::uint32_t link, std::int64_t ms) {
        core.handle(bus::LinkUp{{}, LinkId{link}, neighbour_of(link), {}}, at(ms));
    }
    void lose(std::uint32_t link, std::int64_t ms) {
        core.handle(
            bus::LinkDown{
                {}, LinkId{link}, neighbour_of(link), bus::LinkDownReason::kConnectionLost},
            at(ms));
    }
    static NodeNumber neighbour_of(std::uint32_t link) { return NodeNumber{link % 10}; }
};

}  // namespace farlink::router
