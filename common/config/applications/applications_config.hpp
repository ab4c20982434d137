// SPDX-License-Identifier: Apache-2.0
// The endpoints of applications, who may use them, and where applications connect.
// Part of NodeConfig; values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/types.hpp"

namespace farlink::config {

/// `endpoints[]`: an endpoint for which bundles wait while no application receives there.
struct EndpointConfig {
    std::string endpoint;  ///< `endpoint`: an EID, or a service of this node
};

/// `access[]`: what some applications may do. One of the first three says which.
struct AccessConfig {
    std::string user;                  ///< `user`: a name or a number
    std::string group;                 ///< `group`: likewise
    bool loopback = false;             ///< `loopback`: whoever connects by TCP from this machine
    std::vector<std::string> receive;  ///< `register`: endpoints or patterns
    std::vector<std::string> send_as;  ///< `sendAs`: beside those that it has registered
    std::vector<std::string> send_to;  ///< `sendTo`
    bool dynamic = false;  ///< `dynamicServices`: it may register services of the dynamic range
    std::uint64_t bytes_per_second = 0;          ///< `payloadBytesPerSecond`; 0: no limit
    std::uint64_t adus_per_second = 0;           ///< `adusPerSecond`; 0: no limit
    std::uint64_t largest_adu_bytes = 0;         ///< `largestAduBytes`; 0: that of the node
    std::uint64_t longest_lifetime_seconds = 0;  ///< `longestLifetimeSeconds`; 0: no limit
    std::string highest_priority = "expedited";  ///< `highestPriority`
};

/// `applications`
struct ApplicationsConfig {
    std::string socket;                ///< `socket`: path; empty: none
    std::string socket_mode = "0660";  ///< `socketMode`: octal
    std::string socket_group;  ///< `socketGroup`: a name or a number; empty: that of the node
    std::string listen;        ///< `listen`: address:port of loopback; empty: none
    std::vector<EndpointConfig> endpoints;       ///< `endpoints`
    std::vector<AccessConfig> access;            ///< `access`; empty: the default
    std::uint64_t first_dynamic_service = 0;     ///< `firstDynamicService`
    std::uint64_t last_dynamic_service = 0;      ///< `lastDynamicService`
    std::uint64_t largest_adu_bytes = 0;         ///< `largestAduBytes`
    std::uint64_t default_lifetime_seconds = 0;  ///< `lifetimeSeconds`
    std::uint64_t accept_within_seconds = 0;     ///< `acceptWithinSeconds`; 0: no limit
    std::uint32_t max_connections = 0;           ///< `maxConnections`
    std::uint32_t max_endpoints = 0;             ///< `maxEndpoints`

    [[nodiscard]] bool wanted() const { return !socket.empty() || !listen.empty(); }
};

/// The parts of the configuration that the module of applications needs.
struct ApplicationsNode {
    NodeNumber node{};
    std::uint64_t echo_service = 0;
    ApplicationsConfig applications{};
};

}  // namespace farlink::config
