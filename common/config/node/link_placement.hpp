// SPDX-License-Identifier: Apache-2.0
// Which instance of ingress and egress a link belongs to.
// Made of a node's configuration; a value.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/endpoint_links.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::config {

/// Sessions that neighbours have opened, and that bundles can leave by, are links from here on.
inline constexpr std::uint32_t kFirstOpenedLink = 0x40000000U;

/// Links that are configured go where they say, the others in turn. A link that is opened belongs
/// to the instance that has given it its number, and a link that is added gets one by its number.
class LinkPlacement {
public:
    LinkPlacement() = default;
    explicit LinkPlacement(const NodeConfig &config);

    [[nodiscard]] std::size_t instances() const { return instances_; }
    /// The node has a module of applications.
    [[nodiscard]] bool applications() const { return applications_; }
    [[nodiscard]] std::size_t instance_of(LinkId link) const {
        if (instances_ == 1) return 0;
        if (link.value() < configured_.size()) return configured_[link.value()];
        const std::uint32_t first = link.value() < kFirstOpenedLink ? 0 : kFirstOpenedLink;
        return (link.value() - first) % instances_;
    }
    /// What the bundles for the link leave by.
    [[nodiscard]] std::size_t carrier_of(LinkId link) const {
        return is_endpoint_link(link) ? kApplicationsCarrier : instance_of(link);
    }
    /// The number of the `place`-th session, from 0, that neighbours have opened at an instance.
    [[nodiscard]] LinkId opened(std::size_t instance, std::size_t place) const {
        return LinkId{kFirstOpenedLink + static_cast<std::uint32_t>(place * instances_ + instance)};
    }

private:
    std::size_t instances_ = 1;
    bool applications_ = false;
    std::vector<std::uint8_t> configured_;  ///< by number
};

}  // namespace farlink::config
