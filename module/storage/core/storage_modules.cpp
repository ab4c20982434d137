// SPDX-License-Identifier: Apache-2.0
// Modules of other processes that are lost and come back: what they knew of storage is told anew,
// and what storage had lent them comes back by itself.
#include "module/storage/core/storage_core.hpp"

namespace farlink::storage {

void StorageCore::set_placement(const config::LinkPlacement &placement) {
    releaser_.forwarded_before().set_placement(placement);
    if (placement.instances() > 1) shelf_.inventory.backlogs().share();
}

void StorageCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    const std::size_t instance = bus::instance_of(lost.module);
    if (bus::is_ingress(lost.module)) {
        // Nobody will tell any more what became of the originals.
        for (const EntryIndex copy : intake_.end_copies(instance)) releaser_.take_back(copy, now);
        shelf_.inventory.backlogs().count_anew(instance);
        releaser_.forwarded_before().handle_ingress_lost(instance);
    }
    // The scheduler says when there are links again.
    if (bus::is_egress(lost.module)) releaser_.take_down(instance);
}

void StorageCore::handle(const bus::ModuleBack &back, TimePoint now) {
    if (bus::is_ingress(back.module)) tell_ingress();
    if (bus::is_egress(back.module)) {
        releaser_.forwarded_before().handle_egress_back(bus::instance_of(back.module));
        shelf_.send(bus::AgentId::kEgress, ready());
    }
    if (back.module != bus::AgentId::kRouter) return;
    backlog_known_ = true;  // or told that there is none
    reported_changes_ = ~shelf_.inventory.changes();
    reported_at_ = {};
    report_backlog(now);
}

bus::StorageReady StorageCore::ready() const {
    return {shelf_.counters.value(StorageCounter::kRestored), newest_received()};
}

// Which flows must not be cut through; behind that, that these are all.
void StorageCore::tell_ingress() {
    for (const bus::Backlog &backlog : shelf_.inventory.backlogs().held())
        shelf_.send(bus::AgentId::kIngress, backlog);
    shelf_.send(bus::AgentId::kIngress, ready());
}

}  // namespace farlink::storage
