// SPDX-License-Identifier: Apache-2.0
// Which instance a message for ingress or egress is for, where there are several.
// Made by each agent's loop; a value.
// Cores speak to roles: what they know, and need to know, is which link, session or batch a message
// is about, and that tells the instance.
#pragma once

#include <utility>

#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"

namespace farlink::bus {

class Addressing {
public:
    Addressing(AgentId self, config::LinkPlacement placement)
        : self_(self), placement_(std::move(placement)) {}

    /// Whether `message`, for the role `to`, is for every instance of it.
    [[nodiscard]] bool for_all(AgentId to, const Message &message) const;
    /// The instance that it is for.
    [[nodiscard]] AgentId addressee(AgentId to, const Message &message) const;
    [[nodiscard]] std::size_t instances() const { return placement_.instances(); }

private:
    AgentId self_;
    config::LinkPlacement placement_;
};

}  // namespace farlink::bus
