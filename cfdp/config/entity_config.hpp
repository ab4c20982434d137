// SPDX-License-Identifier: Apache-2.0
// The configuration of a CFDP entity, from a JSON file.
// Read once by the daemon; checked and complete.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cfdp/core/transaction/settings.hpp"
#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::cfdp {

struct RemoteConfig {
    EntityId entity = 0;
    std::string udp{};       ///< "address:port"; empty: by bundles
    std::string endpoint{};  ///< of bundles; empty: ipn:<entityId>.<service>
    std::uint64_t rate_bits_per_second = 100'000'000;
    std::uint64_t bundle_bytes = 0;  ///< of PDUs in a bundle; 0: one PDU a bundle
    std::uint64_t service_class = 2;
    std::string checksum = "crc32c";
    std::string nak_mode = "deferred";
    std::string folder{};  ///< beneath the root; empty: the inbox
    std::vector<std::string> may{};
    std::vector<std::string> suspend_at{};
    std::vector<std::string> ignore{};
    std::vector<std::string> abandon_at{};
    RemoteSettings settings{};
};

struct EntityConfig {
    EntityId entity = 0;
    std::string root{};
    std::string inbox = "inbox";
    std::string control_socket{};
    std::string udp_address = "127.0.0.1";
    std::uint64_t udp_port = 0;
    bool udp = false;
    std::string node{};  ///< the applications' socket of a node; empty: no bundles
    std::uint64_t service = 64;
    std::uint64_t lifetime_seconds = 7 * 24 * 3600;
    std::uint64_t most_receiving = 4'000;
    std::vector<RemoteConfig> remotes{};
};

struct UdpAddress {
    std::string host;  ///< an IP address, without brackets
    std::uint16_t port = 0;
};

/// Of "127.0.0.1:4000" or "[::1]:4000"; nothing for other texts.
[[nodiscard]] std::optional<UdpAddress> read_udp_address(std::string_view text);

/// "crc32c" and the others.
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Algorithm algorithm);

[[nodiscard]] Result<EntityConfig, config::ConfigErrors> load_entity_config(
    const std::string &path);
[[nodiscard]] Result<EntityConfig, config::ConfigErrors> parse_entity_config(
    std::string_view json, const std::string &source);

}  // namespace farlink::cfdp
