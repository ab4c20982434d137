// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/text/event_text.hpp"

#include <algorithm>
#include <string_view>

namespace farlink::telemetry {

std::string link_to(LinkId link, NodeNumber neighbour) {
    return "link " + std::to_string(link.value()) + " to node " + std::to_string(neighbour.value());
}

std::string fault_text(const bus::LinkInfo &info) {
    constexpr std::string_view kNeighbour = "the neighbour ";
    const std::string_view reason = as_text(info.reason);
    const std::string link = "link " + std::to_string(info.link.value());
    // A session that is connected has a reason if its node id is a claim without proof.
    if (info.neighbour == NodeNumber{} || info.connected) return link + ": " + std::string(reason);
    if (!reason.starts_with(kNeighbour))
        return link_to(info.link, info.neighbour) + ": " + std::string(reason);
    return link + ": node " + std::to_string(info.neighbour.value()) + ' ' +
           std::string(reason.substr(kNeighbour.size()));
}

std::vector<std::string> new_refusals(const bus::LinkInfo &info, const bus::LinkInfo *before) {
    std::vector<std::string> texts;
    for (const bus::LinkInfo::Refused &each : info.refused) {
        if (before != nullptr && std::ranges::count(before->refused, each) > 0) continue;
        texts.push_back("link " + std::to_string(info.link.value()) + ": " +
                        std::string(as_text(each.reason)));
    }
    return texts;
}

bool tells_refusal(const bus::LinkInfo &info) {
    return std::ranges::count(info.refused, info.reason, &bus::LinkInfo::Refused::reason) > 0;
}

bool all_full(const bus::StorageReport &report) {
    const auto is_full = [](const auto &disk) { return disk.state == bus::DiskState::kFull; };
    return !report.disks.empty() && std::ranges::all_of(report.disks, is_full);
}

std::string disk_text(const bus::DiskReport &disk, bus::DiskState before) {
    const std::string path = "disk " + std::string(as_text(disk.path));
    switch (disk.state) {
        case bus::DiskState::kOk:
            return path + (before == bus::DiskState::kFull ? " has free space again"
                                                           : ": writes succeed again");
        case bus::DiskState::kFull:
            return path + " is full";
        case bus::DiskState::kSetAside:
            return path +
                   " is not written to any more after repeated failures; its bundles are sent";
        case bus::DiskState::kFailing:
            break;
    }
    return path + ": writes fail";
}

const char *in_words(bus::LinkDownReason reason) {
    switch (reason) {
        case bus::LinkDownReason::kContactEnded:
            return "contact ended";
        case bus::LinkDownReason::kConnectionLost:
            return "connection lost";
        case bus::LinkDownReason::kAdministrative:
            return "taken down by the operator";
        case bus::LinkDownReason::kRemoved:
            return "removed or changed";
    }
    return "";
}

}  // namespace farlink::telemetry
