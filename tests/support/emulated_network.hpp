// SPDX-License-Identifier: Apache-2.0
// Two network namespaces with an emulated link between them, which applies its delay and its losses
// to all IP traffic, TCP too.
// Owned by one test; one thread; made before other programs of the test are started.
// Needs network namespaces and tun devices; missing() names what the system does not grant.
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

    /// What the system does not grant; empty when both networks exist.
    [[nodiscard]] std::string missing() const {
        if (!near.usable() || !far.usable()) return "no network namespaces here";
        if (::access("/dev/net/tun", R_OK | W_OK) != 0) return "no tun devices here";
        return {};
    }
    /// `profile`: the options of linkemu.
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
