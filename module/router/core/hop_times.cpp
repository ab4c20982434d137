// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/hop_times.hpp"

#include <algorithm>

namespace farlink::router {
namespace {

/// The effective stop time of the standard, the earliest end of a contact and all later ones,
/// follows: a later hop begins after this one.
std::uint64_t room_needed(const GraphContact &contact, std::uint64_t size_bytes) {
    return std::max<std::uint64_t>(contact.duration_ms(size_bytes), 1);
}

}  // namespace

DtnTime arrival_by(const GraphContact &contact, DtnTime time, std::uint64_t size_bytes) {
    const DtnTime first_octet = std::max(time, contact.start);
    if (first_octet >= contact.end) return kDtnNever;
    if (contact.end - first_octet < room_needed(contact, size_bytes)) return kDtnNever;
    return saturating_add(first_octet + contact.duration_ms(size_bytes), contact.light_ms);
}

std::optional<DtnTime> latest_ready(const GraphContact &contact, DtnTime deadline,
                                    std::uint64_t size_bytes) {
    const std::uint64_t room = room_needed(contact, size_bytes);
    const std::uint64_t travel = saturating_add(contact.duration_ms(size_bytes), contact.light_ms);
    if (contact.end - contact.start < room || deadline < travel) return std::nullopt;
    const DtnTime latest = std::min(contact.end - room, deadline - travel);
    if (latest < contact.start) return std::nullopt;
    return latest;
}

DtnTime earliest_over(const ContactGraph &graph, const Edge &edge, DtnTime time,
                      std::uint64_t size_bytes, const ContactMask *without, DtnTime before) {
    const DtnTime soonest = std::max(time, edge.earliest_start);
    if (edge.latest_end <= soonest || saturating_add(soonest, edge.least_light_ms) >= before)
        return kDtnNever;
    const std::span<const GraphContact> contacts = graph.contacts_of(edge);
    DtnTime best = before;
    // latest_end ascends, so everything before the first one above `time` is over.
    auto contact = std::ranges::upper_bound(contacts, time, {}, &GraphContact::latest_end);
    for (; contact != contacts.end(); ++contact) {
        if (saturating_add(contact->start, edge.least_light_ms) >= best) break;
        const auto place = static_cast<std::size_t>(contact - contacts.begin());
        if (without != nullptr && !without->empty() && (*without)[edge.first + place]) continue;
        best = std::min(best, arrival_by(*contact, time, size_bytes));
    }
    return best < before ? best : kDtnNever;
}

}  // namespace farlink::router
