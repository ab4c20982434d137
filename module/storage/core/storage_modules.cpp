// SPDX-License-Identifier: Apache-2.0
// Modules of other processes that are lost and come back: what they knew of storage is told anew,
// and what storage had lent them comes back by itself.
#include "module/storage/core/storage_core.hpp"

namespace farlink::storage {

void StorageCore::set_placement(const config::LinkPlacement &placement) {
    releaser_.forwarded_before().set_placement(placement);
    if (placement.instances() > 1) context_.inventory.backlogs().share();
}

void StorageCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    const std::size_t instance = bus::instance_of(lost.module);
    if (bus::is_ingress(lost.module)) {
        // Nobody will tell any more what became of the originals.
        for (const EntryIndex copy : writer_.end_copies(instance)) releaser_.take_back(copy, now);
        context_.inventory.backlogs().count_anew(instance);
        releaser_.forwarded_before().handle_ingress_lost(instance);
    }
    // The scheduler says when there are links again.
    if (bus::is_egress(lost.module)) releaser_.take_down(instance);
}

void StorageCore::handle(const bus::ModuleBack &back, TimePoint now) {
    if (bus::is_ingress(back.module)) publish_to_ingress();
    if (bus::is_egress(back.module)) {
        releaser_.forwarded_before().handle_egress_back(bus::instance_of(back.module));
        context_.send(bus::AgentId::kEgress, ready());
    }
    if (back.module != bus::AgentId::kRouter) return;
    backlog_known_ = true;  // or told that there is none
    reported_changes_ = ~context_.inventory.changes();
    reported_at_ = {};
    report_backlog(now);
}

bus::StorageReady StorageCore::ready() const {
    return {context_.counters.value(StorageCounter::kRestored), newest_received()};
}

// Which flows must not be cut through; behind that, that these are all.
void StorageCore::publish_to_ingress() {
    for (const bus::Backlog &backlog : context_.inventory.backlogs().held())
        context_.send(bus::AgentId::kIngress, backlog);
    context_.send(bus::AgentId::kIngress, ready());
}

}  // namespace farlink::storage
