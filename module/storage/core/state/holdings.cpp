// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/holdings.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {
namespace {

void count(Holding::Count &to, const Entry &entry) {
    ++to.bundles;
    to.bytes += entry.bytes();
    to.next_expiry = std::min(to.next_expiry, entry.expiry);
}

void add(Holding::Count &to, const Holding::Count &more) {
    to.bundles += more.bundles;
    to.bytes += more.bytes;
    to.next_expiry = std::min(to.next_expiry, more.next_expiry);
}

}  // namespace

std::vector<Holding> count_holdings(const Inventory &inventory) {
    std::unordered_map<FlowIndex, Holding> by_endpoint;
    inventory.entries().for_each_held([&](const Entry &entry) {
        if (entry.flow == kNoFlow || entry.state() == EntryState::kWriting) return;
        if (!entry.counts()) return;
        Holding &holding = by_endpoint[entry.flow / kPriorityCount];
        if (holding.destination.empty())
            holding.destination =
                bp::to_string(decode_label(inventory.destinations().label_of(entry.flow))
                                  .value_or(bp::EidView{}));
        if (entry.in_custody()) count(holding.in_custody, entry);
        if (entry.state() != EntryState::kInCustody) count(holding.pending, entry);
    });
    // Where the store remembers sources, each has flows of its own.
    std::map<std::string, Holding> by_uri;
    for (const auto &[endpoint, holding] : by_endpoint) {
        Holding &all = by_uri[holding.destination];
        all.destination = holding.destination;
        add(all.pending, holding.pending);
        add(all.in_custody, holding.in_custody);
    }
    std::vector<Holding> holdings;
    for (auto &[uri, holding] : by_uri) holdings.push_back(std::move(holding));
    return holdings;
}

}  // namespace farlink::storage
