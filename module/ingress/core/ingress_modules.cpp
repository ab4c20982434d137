// SPDX-License-Identifier: Apache-2.0
// Modules of other processes that are lost and come back. What they had of ingress comes back as
// not sent: from egress it goes to storage, from storage it is held and offered again.
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::ingress {

// The sessions that egress hosted are told there, or have ended with it.
void IngressCore::handle(const bus::ModuleLost &lost, TimePoint) {
    if (lost.module != bus::instance_at(bus::AgentId::kEgress, instance_)) return;
    for (const UpstreamId session : upstreams_.all_elsewhere()) handle_upstream_closed(session);
}

// It counts anew what it is given, and tells what it has before it says that it is ready.
void IngressCore::handle(const bus::ModuleBack &back, TimePoint) {
    if (back.module == bus::AgentId::kStorage) flows_.count_anew();
    if (bus::is_egress(back.module)) forwarded_[bus::instance_of(back.module)] = 0;
    // What it has delivered and not answered for it gets again.
    if (back.module == bus::AgentId::kIngress)
        for (const std::uint64_t number : relay_.numbers())
            messages_.push_back({bus::AgentId::kIngress, false, relay_.message(number)});
}

void IngressCore::handle(const bus::StorageReady &, TimePoint) {
    flows_.drop_unconfirmed();
}

}  // namespace farlink::ingress
