// SPDX-License-Identifier: Apache-2.0
// Two networks of a test's own with an emulated link between them: whatever speaks IP meets its
// delay and its losses, TCP as well.
// Owned by one test; one thread, and before other programs of the test are started.
// Needs network namespaces and tun devices; missing() says which of them the system does not grant.
#pragma once

#include <unistd.h>

#include <optional>

#include "tests/support/linkemu_program.hpp"
#include "tests/support/network_namespace.hpp"

namespace farlink::test {

class EmulatedNetwork {
public:
    static constexpr const char *kNear = "10.9.0.1";
    static constexpr const char *kFar = "10.9.0.2";

    /// Empty when the two networks are there.
    [[nodiscard]] std::string missing() const {
        if (!near.usable() || !far.usable()) return "no network namespaces here";
        if (::access("/dev/net/tun", R_OK | W_OK) != 0) return "no tun devices here";
        return {};
    }
    /// `profile`: what the link does, in linkemu's words.
    void connect(const std::vector<std::string> &profile) {
        link.emplace(joined(profile, {"tun", "--near-netns", near.path(), "--near-address",
                                      std::string(kNear) + "/24", "--far-netns", far.path(),
                                      "--far-address", std::string(kFar) + "/24"}));
    }

    const NetworkNamespace near;
    const NetworkNamespace far;
    std::optional<LinkemuProgram> link;
};

}  // namespace farlink::test
