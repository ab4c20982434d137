// SPDX-License-Identifier: Apache-2.0
// The rules of BPSec at an instance of ingress: reads keys at the start and at each reload, and
// gives the core another gate.
// Owned by the ingress agent; its thread only. The gates borrow from it, so it is destroyed last.
#pragma once

#include <memory>

#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/security/gate/bundle_gate.hpp"
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::security {
class NodeSecurity;
}

namespace farlink::ingress {

class SecurityRules {
public:
    SecurityRules(const config::NodeConfig &config, std::size_t instance, Logger &log);
    ~SecurityRules();

    /// Without keys that can be read, each required operation fails.
    void begin(const config::NodeConfig &config, IngressCore &core);
    /// Without keys that can be read, the former rules stay in force.
    void change(const config::NodeConfig &changed, IngressCore &core);

private:
    Logger &log_;
    std::unique_ptr<security::NodeSecurity> node_;
};

}  // namespace farlink::ingress
