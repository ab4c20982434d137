// SPDX-License-Identifier: Apache-2.0
// Who may register which endpoints, send as whom and to whom, and how much.
// Owned by ApplicationsCore; grants are borrowed from it.
// One thread. Names of users and groups are resolved by the agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/types.hpp"
#include "common/bp/eid/eid_pattern.hpp"
#include "common/config/applications/applications_config.hpp"
#include "module/applications/core/access/identity.hpp"

namespace farlink::applications {

inline constexpr std::uint64_t kMsPerSecond = 1000;

/// The users and groups of `access[]`, in its order; nothing where a name is not known.
struct ResolvedNames {
    struct Entry {
        std::optional<std::uint32_t> user{};
        std::optional<std::uint32_t> group{};
    };
    std::vector<Entry> entries{};
    std::uint32_t own_user = 0;  ///< of the node
    std::uint32_t own_group = 0;
};

/// What an application may do.
class Grant {
public:
    Grant(const config::ApplicationsNode &node, const config::AccessConfig &access);

    [[nodiscard]] bool may_register(const bp::EidView &endpoint) const;
    /// Beside the endpoint that it has registered.
    [[nodiscard]] bool may_send_as(const bp::EidView &source) const;
    [[nodiscard]] bool may_send_to(const bp::EidView &destination) const;
    [[nodiscard]] std::uint64_t largest_adu_bytes() const { return largest_adu_bytes_; }
    [[nodiscard]] std::uint64_t longest_lifetime_ms() const { return longest_lifetime_ms_; }
    [[nodiscard]] Priority highest_priority() const { return highest_priority_; }
    /// 0: no limit.
    [[nodiscard]] std::uint64_t bytes_per_second() const { return bytes_per_second_; }
    [[nodiscard]] std::uint64_t adus_per_second() const { return adus_per_second_; }

private:
    NodeNumber node_;
    std::uint64_t echo_service_;
    bool dynamic_;
    std::uint64_t first_dynamic_;
    std::uint64_t last_dynamic_;
    std::vector<bp::EidPattern> receive_;
    std::vector<bp::EidPattern> send_as_;
    std::vector<bp::EidPattern> send_to_;
    std::uint64_t largest_adu_bytes_;
    std::uint64_t longest_lifetime_ms_;
    Priority highest_priority_;
    std::uint64_t bytes_per_second_;
    std::uint64_t adus_per_second_;
};

class AccessTable {
public:
    AccessTable(const config::ApplicationsNode &node, const ResolvedNames &names);

    /// The first entry that fits; null: it may do nothing.
    [[nodiscard]] const Grant *find(const Identity &identity) const;

private:
    struct Rule {
        bool loopback = false;
        std::optional<std::uint32_t> user;
        std::optional<std::uint32_t> group;
        Grant grant;
    };
    void add_default(const config::ApplicationsNode &node, const ResolvedNames &names);

    std::vector<Rule> rules_;
};

}  // namespace farlink::applications
