// SPDX-License-Identifier: Apache-2.0
// Selects the instance of ingress or egress that gets a message.
// Made by each agent's loop; a value.
// Cores address roles; the link, session or batch of a message determines the instance.
#pragma once

#include <utility>

#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"

namespace farlink::bus {

class Addressing {
public:
    Addressing(AgentId self, config::LinkPlacement placement)
        : self_(self), placement_(std::move(placement)) {}

    /// Whether every instance of the role `to` gets the message.
    [[nodiscard]] bool for_all(AgentId to, const Message &message) const;
    /// The instance that gets the message.
    [[nodiscard]] AgentId addressee(AgentId to, const Message &message) const;
    [[nodiscard]] std::size_t instances() const { return placement_.instances(); }

private:
    AgentId self_;
    config::LinkPlacement placement_;
};

}  // namespace farlink::bus
