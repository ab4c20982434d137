// SPDX-License-Identifier: Apache-2.0
// A dialogue with one session core, fed directly, in the octets of both sides.
// Owned by the test; virtual time.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/support/core_host.hpp"
#include "tests/support/hex.hpp"

namespace farlink::test {

struct CoreDialogue {
    explicit CoreDialogue(std::unique_ptr<cla::SessionCore> session) : host(std::move(session)) {
        host.acknowledge_at_once = true;
        host.core->handle_connected(now);
        listen();
    }
    void send(const Bytes &octets) {
        host.feed(octets, now);
        listen();
    }
    void listen() { append(said, host.drain(now)); }
    /// Exactly this has been said since the last look.
    void expect_said(const std::string &hex) {
        EXPECT_EQ(to_hex(said), hex);
        said.clear();
    }

    CoreHost host;
    Bytes said;
    TimePoint now{};
};

}  // namespace farlink::test
