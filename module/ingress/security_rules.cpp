// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/security_rules.hpp"

#if FARLINK_TLS
#include "common/security/node/node_security.hpp"
#endif

namespace farlink::security {
#if !FARLINK_TLS
class NodeSecurity {};
#endif
}  // namespace farlink::security

namespace farlink::ingress {

#if FARLINK_TLS

SecurityRules::SecurityRules(const config::NodeConfig &config, std::size_t instance, Logger &log)
    : log_(log),
      node_(std::make_unique<security::NodeSecurity>(config.node, instance, config.state_folder)) {}

void SecurityRules::begin(const config::NodeConfig &config, IngressCore &core) {
    if (!config.security) return;
    auto gate = node_->make_gate(*config.security);
    if (!gate)
        log_.error("security: keys not usable; all operations of the rules fail: {}", gate.error());
    core.set_gate(gate ? std::move(*gate) : node_->make_closed_gate(*config.security));
}

void SecurityRules::change(const config::NodeConfig &changed, IngressCore &core) {
    if (!changed.security) return core.set_gate(nullptr);
    auto gate = node_->make_gate(*changed.security);
    if (!gate)
        return log_.error(
            "security: cannot apply the rules and keys of the configuration; the previous ones, if "
            "any, stay in effect: {}",
            gate.error());
    core.set_gate(std::move(*gate));
}

#else

// The program refuses a configuration with rules before it comes here.
SecurityRules::SecurityRules(const config::NodeConfig &, std::size_t, Logger &log) : log_(log) {}
void SecurityRules::begin(const config::NodeConfig &, IngressCore &) {}
void SecurityRules::change(const config::NodeConfig &, IngressCore &) {}

#endif

SecurityRules::~SecurityRules() = default;

}  // namespace farlink::ingress
