// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/core/way.hpp"

#include <algorithm>
#include <utility>

namespace farlink::bptrace {
namespace {

using bp::ReportEvent;

DtnTime first_time(const Hop &hop) {
    DtnTime first = kDtnNever;
    for (const auto &moment : hop.moments)
        if (moment) first = std::min(first, moment->at_ms);
    return first;
}

void keep_earliest(std::optional<Moment> &kept, const Moment &moment) {
    // A time that a report states is better than that of the report.
    const bool better = !kept || (moment.stated && !kept->stated) ||
                        (moment.stated == kept->stated && moment.at_ms < kept->at_ms);
    if (better) kept = moment;
}

}  // namespace

std::string node_of(const std::string &endpoint) {
    const auto eid = bp::Eid::parse(endpoint);
    if (!eid || eid->view().scheme != bp::EidScheme::kIpn) return endpoint;
    return "ipn:" + std::to_string(eid->view().node);
}

bool Way::add(const NodeReport &report) {
    const bp::BundleId &about = report.subject;
    if (about.source != probe_.source || about.creation_time != probe_.creation_time ||
        about.sequence != probe_.sequence)
        return false;
    Hop *const hop = hop_of(node_of(report.node));
    if (hop == nullptr) return false;
    ++reports_;
    for (std::size_t event = 0; event < kEvents; ++event)
        if (report.moments[event]) keep_earliest(hop->moments[event], *report.moments[event]);
    if (report.moments[static_cast<std::size_t>(ReportEvent::kDeleted)])
        hop->reason = report.reason;
    return true;
}

Hop *Way::hop_of(const std::string &node) {
    const auto found = std::ranges::find(hops_, node, &Hop::node);
    if (found != hops_.end()) return &*found;
    if (hops_.size() >= kMostHops) return nullptr;
    return &hops_.emplace_back(Hop{.node = node, .moments = {}});
}

bool Way::reported(ReportEvent event) const {
    return std::ranges::any_of(hops_, [event](const Hop &hop) { return hop.has(event); });
}

bool Way::complete() const {
    if (!delivered() && !deleted()) return false;
    return has_first_node() && std::ranges::all_of(hops_, [](const Hop &hop) {
               return hop.has(ReportEvent::kForwarded) || hop.has(ReportEvent::kDelivered) ||
                      hop.has(ReportEvent::kDeleted);
           });
}

bool Way::has_first_node() const {
    const std::string first = node_of(probe_.source.to_string());
    return std::ranges::find(hops_, first, &Hop::node) != hops_.end();
}

int Way::rank(const Hop &hop) const {
    if (hop.node == node_of(probe_.source.to_string())) return 0;
    if (hop.has(ReportEvent::kDelivered)) return 3;
    return hop.has(ReportEvent::kDeleted) && !hop.has(ReportEvent::kForwarded) ? 2 : 1;
}

std::vector<Hop> Way::hops() const {
    std::vector<Hop> ordered = hops_;
    std::ranges::stable_sort(
        ordered, {}, [this](const Hop &hop) { return std::pair{rank(hop), first_time(hop)}; });
    return ordered;
}

}  // namespace farlink::bptrace
