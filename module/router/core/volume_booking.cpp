// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/volume_booking.hpp"

#include <algorithm>

#include "common/buffer/contact_part.hpp"
#include "module/router/core/alternative_routes.hpp"

namespace farlink::router {
namespace {

std::uint64_t bytes_in(std::uint64_t duration_ms, std::uint64_t rate_bps) {
    if (duration_ms > kUnlimitedBytes / rate_bps) return kUnlimitedBytes;
    return duration_ms * rate_bps / kBitsTimesMs;
}

/// Bytes from a first octet until `stop`.
std::uint64_t volume(const GraphContact &contact, DtnTime first_octet, DtnTime stop) {
    if (contact.rate_bps == 0 || stop == kDtnNever) return kUnlimitedBytes;
    return stop <= first_octet ? 0 : bytes_in(stop - first_octet, contact.rate_bps);
}

/// What is left of a demand behind `bytes` of it: the rest of the bundle that is cut, then others.
Demand behind(const Demand &left, std::uint64_t bytes, bool cut, const Demand &demand) {
    return {left.bytes - bytes, cut ? left.head_bytes - bytes : demand.head_bytes};
}

}  // namespace

void VolumeBooking::book_next_hop(NodeIndex neighbour, Priority priority, std::uint64_t bytes) {
    const Edge *edge = graph_.edge_between(source_, neighbour);
    if (edge == nullptr) return;
    for (ContactIndex at = edge->first; at < edge->first + edge->count && bytes > 0; ++at) {
        if (!closed_.empty() && closed_[at]) continue;
        const std::uint64_t share = std::min(bytes, free_of(at, priority));
        add(at, priority, share);
        bytes -= share;
    }
}

Shares VolumeBooking::book(std::span<const FoundRoute> routes, NodeIndex destination,
                           Priority priority, const Demand &demand) {
    Shares shares;
    shares.bytes.resize(routes.size());
    const Demand left = share_out(routes, priority, demand, shares);
    if (left.bytes > 0) spill(destination, priority, left, demand, shares);
    return shares;
}

// The result is that of single bundles, in as few steps as the routes' arrivals allow.
Demand VolumeBooking::share_out(std::span<const FoundRoute> routes, Priority priority,
                                const Demand &demand, Shares &shares) {
    constexpr std::uint64_t kPortions = 16;
    const std::uint64_t portion =
        std::max({demand.bytes / kPortions, demand.head_bytes, std::uint64_t{1}});
    Demand left = demand;
    while (left.bytes > 0) {
        const Choice best = choose(routes, priority, std::min(left.bytes, left.head_bytes));
        if (best.route == Choice::kNone) break;
        const FoundRoute &route = routes[best.route];
        std::uint64_t bytes = left.bytes;
        const std::uint64_t rate = graph_.contact(route.contacts.front()).rate_bps;
        if (best.second != kDtnNever && rate != 0)
            bytes = std::min(bytes, std::max(portion, bytes_in(best.second - best.arrival, rate)));
        bytes = take(route, priority, bytes);
        shares.bytes[best.route] += bytes;
        left = behind(left, bytes, best.part_bytes > 0, demand);
    }
    return left;
}

VolumeBooking::Choice VolumeBooking::choose(std::span<const FoundRoute> routes, Priority priority,
                                            std::uint64_t head_bytes) const {
    Choice best;
    Choice part;
    for (std::size_t at = 0; at < routes.size(); ++at) {
        const Narrowest room = narrowest(routes[at].contacts, priority);
        if (room.bytes == 0) continue;
        const DtnTime arrival =
            saturating_add(routes[at].arrival, delay_ms(routes[at].contacts, priority));
        if (room.bytes < head_bytes) {
            if (arrival < part.arrival && carries_part(routes[at].contacts, room))
                part = {at, arrival, kDtnNever, room.bytes};
        } else if (best.route != Choice::kNone && arrival >= best.arrival) {
            best.second = std::min(best.second, arrival);
        } else {
            best = {at, arrival, best.arrival};
        }
    }
    return ends_first(routes, part, best, head_bytes) ? part : best;
}

// If the part arrives before the whole would by the other route, its rest does, too: it is smaller.
bool VolumeBooking::ends_first(std::span<const FoundRoute> routes, const Choice &part,
                               const Choice &whole, std::uint64_t head_bytes) const {
    if (part.route == Choice::kNone) return false;
    if (whole.route == Choice::kNone) return true;
    const auto end_of = [&](const Choice &choice, std::uint64_t bytes) {
        const GraphContact &first = graph_.contact(routes[choice.route].contacts.front());
        return saturating_add(choice.arrival, first.duration_ms(bytes));
    };
    return end_of(part, part.part_bytes) <= end_of(whole, head_bytes);
}

bool VolumeBooking::carries_part(std::span<const ContactIndex> contacts,
                                 const Narrowest &room) const {
    return !cutting_.empty() && cutting_[contacts.front()] && room.contact == contacts.front() &&
           room.bytes >= kLeastPartBytes;
}

void VolumeBooking::spill(NodeIndex destination, Priority priority, Demand left,
                          const Demand &demand, Shares &shares) {
    AlternativeRoutes more(graph_, {.source = source_, .time = time_}, destination, closed_);
    for (const auto &[contact, taken] : booked_)
        if (free_of(contact, priority) == 0) more.use_up(contact);
    while (left.bytes > 0 && shares.others.size() < kMaxExtraRoutes) {
        std::optional<FoundRoute> route = more.next();
        if (!route) break;
        const Narrowest full = narrowest(route->contacts, priority);
        more.use_up(full.contact);
        const bool part = full.bytes < std::min(left.bytes, left.head_bytes);
        if (full.bytes == 0 || (part && !carries_part(route->contacts, full))) continue;
        const std::uint64_t bytes = take(*route, priority, left.bytes);
        left = behind(left, bytes, part, demand);
        shares.others.push_back({std::move(*route), bytes});
    }
}

std::uint64_t VolumeBooking::take(const FoundRoute &route, Priority priority, std::uint64_t bytes) {
    const std::uint64_t share = std::min(bytes, room(route.contacts, priority));
    for (const ContactIndex contact : route.contacts) add(contact, priority, share);
    return share;
}

std::uint64_t VolumeBooking::room(std::span<const ContactIndex> contacts, Priority priority) const {
    return narrowest(contacts, priority).bytes;
}

VolumeBooking::Narrowest VolumeBooking::narrowest(std::span<const ContactIndex> contacts,
                                                  Priority priority) const {
    std::vector<DtnTime> first_octets;
    DtnTime ready = time_;
    for (const ContactIndex index : contacts) {
        const GraphContact &contact = graph_.contact(index);
        first_octets.push_back(std::max(ready, contact.start));
        ready = saturating_add(first_octets.back(), contact.light_ms);
    }
    Narrowest least{kUnlimitedBytes, contacts.front()};
    const auto note = [&least](std::uint64_t bytes, ContactIndex contact) {
        if (bytes < least.bytes) least = {bytes, contact};
    };
    ContactIndex stops = contacts.back();
    for (std::size_t at = contacts.size(); at-- > 0;) {
        if (graph_.contact(contacts[at]).end <= graph_.contact(stops).end) stops = contacts[at];
        const DtnTime stop = graph_.contact(stops).end;
        note(volume(graph_.contact(contacts[at]), first_octets[at], stop), stops);
        note(free_of(contacts[at], priority), contacts[at]);
    }
    return least;
}

std::uint64_t VolumeBooking::delay_ms(std::span<const ContactIndex> contacts,
                                      Priority priority) const {
    const std::uint64_t bytes = booked(contacts.front(), priority);
    if (bytes == 0) return 0;
    const auto arrival_from = [&](DtnTime ready) {
        for (const ContactIndex index : contacts)
            ready = arrival_by(graph_.contact(index), ready, 0);
        return ready;
    };
    const GraphContact &first = graph_.contact(contacts.front());
    const DtnTime turn = saturating_add(std::max(time_, first.start), first.duration_ms(bytes));
    const DtnTime late = arrival_from(turn);
    return late == kDtnNever ? kDtnNever : late - arrival_from(time_);
}

/// The bytes booked for the priority and those above.
std::uint64_t VolumeBooking::booked(ContactIndex contact, Priority priority) const {
    const auto found = booked_.find(contact);
    if (found == booked_.end()) return 0;
    std::uint64_t sum = 0;
    for (std::size_t at = static_cast<std::size_t>(priority); at < kPriorityCount; ++at)
        sum += found->second[at];
    return sum;
}

std::uint64_t VolumeBooking::free_of(ContactIndex contact, Priority priority) const {
    const GraphContact &entry = graph_.contact(contact);
    const std::uint64_t whole = volume(entry, std::max(time_, entry.start), entry.end);
    if (whole == kUnlimitedBytes) return whole;
    return whole - std::min(whole, booked(contact, priority));
}

// A rate without a limit has room for everything.
void VolumeBooking::add(ContactIndex contact, Priority priority, std::uint64_t bytes) {
    if (bytes == 0 || graph_.contact(contact).rate_bps == 0) return;
    booked_[contact][static_cast<std::size_t>(priority)] += bytes;
}

}  // namespace farlink::router
