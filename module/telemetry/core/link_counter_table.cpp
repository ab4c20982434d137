// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/link_counter_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace farlink::telemetry {
namespace {

/// By slot: whether it is a gauge, whose value ends with its module.
const std::array<bool, kCounterSlots<LinkCounter>> &levels() {
    static const auto slots = [] {
        std::array<bool, kCounterSlots<LinkCounter>> found{};
        for (const CounterRow<LinkCounter> &row : kLinkCounters)
            std::fill_n(found.begin() + static_cast<std::ptrdiff_t>(row.id), row.info.slots,
                        row.info.gauge);
        return found;
    }();
    return slots;
}

}  // namespace

std::vector<std::uint64_t> LinkTally::values() const {
    std::vector<std::uint64_t> sum(std::max(latest.size(), before.size()));
    for (std::size_t at = 0; at < sum.size(); ++at) sum[at] = value(at);
    return sum;
}

const bus::LinkInfo *KnownLink::info() const {
    const bus::LinkInfo *best = nullptr;
    for (const auto &[module, said] : infos)
        if (best == nullptr || (said.connected && !best->connected)) best = &said;
    return best;
}

std::uint64_t KnownLink::value(LinkCounter counter) const {
    std::uint64_t sum = 0;
    for (const auto &[module, host] : hosts)
        if (const auto whole = host.find(std::string()); whole != host.end())
            sum += whole->second.value(static_cast<std::size_t>(counter));
    return sum;
}

std::uint64_t KnownLink::value(LinkCounter family, std::size_t member) const {
    std::uint64_t sum = 0;
    for (const auto &[module, host] : hosts)
        for (const auto &[neighbour, tally] : host)
            sum += tally.value(static_cast<std::size_t>(family) + member);
    return sum;
}

void LinkCounterTable::handle(bus::LinkReport report) {
    KnownLink &link = links_[report.link];
    const std::string neighbour(as_text(report.neighbour));
    link.hosts[report.module][neighbour].latest = std::move(report.values);
    touch(link);
}

void LinkCounterTable::handle(bus::LinkInfo info) {
    if (!info.removed) {
        KnownLink &link = links_[info.link];
        bus::LinkInfo &known = link.infos[info.module];
        // While the link reconnects, the reason of its last failure is kept.
        if (!info.connected && info.reason.empty()) info.reason = std::move(known.reason);
        known = std::move(info);
        return touch(link);
    }
    const auto found = links_.find(info.link);
    if (found == links_.end()) return;
    ++revision_;
    found->second.hosts.erase(info.module);
    found->second.infos.erase(info.module);
    if (found->second.infos.empty()) links_.erase(found);
}

void LinkCounterTable::handle_death(bus::AgentId module) {
    for (auto &[id, link] : links_) {
        if (const auto host = link.hosts.find(module); host != link.hosts.end()) {
            for (auto &[neighbour, tally] : host->second) {
                const std::vector<std::uint64_t> last = std::exchange(tally.latest, {});
                tally.before.resize(std::max(tally.before.size(), last.size()));
                for (std::size_t at = 0; at < std::min(last.size(), levels().size()); ++at)
                    if (!levels()[at]) tally.before[at] += last[at];
            }
            touch(link);
        }
        if (const auto info = link.infos.find(module); info != link.infos.end()) {
            constexpr std::string_view kReason = "the process of its module has ended";
            info->second.connected = false;
            info->second.reason.assign(kReason.begin(), kReason.end());
            touch(link);
        }
    }
}

const KnownLink *LinkCounterTable::find(LinkId link) const {
    const auto found = links_.find(link);
    return found == links_.end() ? nullptr : &found->second;
}

}  // namespace farlink::telemetry
