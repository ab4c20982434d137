// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/widest_path.hpp"

#include <algorithm>
#include <queue>

namespace farlink::router {
namespace {

/// The bytes that a series of contacts can carry, and the first end of them.
struct Volume {
    std::uint64_t bytes = 0;
    DtnTime first_end = kDtnNever;
};

std::uint64_t volume_of(const GraphContact &contact) {
    if (contact.rate_bps == 0 || contact.end == kDtnNever) return kUnlimitedBytes;
    const std::uint64_t duration_ms = contact.end - contact.start;
    if (duration_ms > kUnlimitedBytes / contact.rate_bps) return kUnlimitedBytes;
    return duration_ms * contact.rate_bps / kBitsTimesMs;
}

/// The widest gapless run of contacts that have not ended.
Volume volume_over(const ContactGraph &graph, const Edge &edge, DtnTime time) {
    Volume widest;
    Volume run;
    DtnTime run_end = 0;
    for (const GraphContact &contact : graph.contacts_of(edge)) {
        if (contact.end <= time) continue;
        if (contact.start > run_end) run = {};
        run.bytes = saturating_add(run.bytes, volume_of(contact));
        run.first_end = std::min(run.first_end, contact.end);
        run_end = std::max(run_end, contact.end);
        if (run.bytes > widest.bytes) widest = run;
    }
    return widest;
}

}  // namespace

// Dijkstra's algorithm with the narrowest place as the length of a way.
std::vector<Width> widest_paths(const ContactGraph &graph, NodeIndex from, DtnTime time) {
    struct Label {
        Width width;
        NodeIndex node;
        bool operator<(const Label &other) const {
            return width.max_bundle_bytes < other.width.max_bundle_bytes;
        }
    };
    std::vector<Width> widths(graph.node_count());
    std::priority_queue<Label> open;
    widths[from].max_bundle_bytes = kUnlimitedBytes;
    open.push({widths[from], from});
    while (!open.empty()) {
        const Label label = open.top();
        open.pop();
        if (label.width.max_bundle_bytes < widths[label.node].max_bundle_bytes) continue;
        for (const Edge &edge : graph.edges_from(label.node)) {
            if (edge.latest_end <= time ||
                widths[edge.to].max_bundle_bytes >= label.width.max_bundle_bytes)
                continue;
            const Volume volume = volume_over(graph, edge, time);
            const Width width{std::min(label.width.max_bundle_bytes, volume.bytes),
                              std::min(label.width.valid_until, volume.first_end)};
            if (width.max_bundle_bytes <= widths[edge.to].max_bundle_bytes) continue;
            widths[edge.to] = width;
            open.push({width, edge.to});
        }
    }
    return widths;
}

}  // namespace farlink::router
