// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_slots.hpp"

#include "common/config/fields/ip_address.hpp"

namespace farlink::cla {
namespace {

/// Fewer sessions than these are not divided.
constexpr std::size_t kFew = 16;
constexpr std::size_t kShareOfAddress = 4;
constexpr std::size_t kReserve = 8;

bool is_own_machine(const std::string &address) {
    return config::address_matches("127.0.0.0/8", address) ||
           config::address_matches("::1", address);
}

}  // namespace

SessionSlots::SessionSlots(std::uint32_t most)
    : most_(most),
      most_of_address_(most < kFew ? most : most / kShareOfAddress),
      most_of_strangers_(most < kFew ? most : most - most / kReserve) {}

SessionSlots::Answer SessionSlots::ask(const std::string &address, bool known) const {
    const auto instead_of = [](std::optional<UpstreamId> oldest) {
        return Answer{oldest.has_value(), oldest};
    };
    if (!known) {
        if (share_is_used(address)) return instead_of(oldest_silent(&address));
        if (!is_own_machine(address) && strangers_ >= most_of_strangers_)
            return instead_of(oldest_silent(nullptr));
    }
    if (guests_.size() >= most_) return instead_of(oldest_silent(nullptr));
    return {true, std::nullopt};
}

bool SessionSlots::share_is_used(const std::string &address) const {
    const auto same = strangers_of_.find(address);
    return same != strangers_of_.end() && same->second >= most_of_address_;
}

void SessionSlots::enter(UpstreamId session, const std::string &address, bool known) {
    guests_[session] = {address, known, !known};
    if (known) return;
    ++strangers_of_[address];
    if (!is_own_machine(address)) ++strangers_;
    silent_.emplace(session.value(), session);
}

void SessionSlots::admit(UpstreamId session) {
    const auto guest = guests_.find(session);
    if (guest == guests_.end() || !guest->second.silent) return;
    guest->second.silent = false;
    silent_.erase(session.value());
}

void SessionSlots::leave(UpstreamId session) {
    const auto guest = guests_.find(session);
    if (guest == guests_.end()) return;
    if (!guest->second.known) {
        const auto same = strangers_of_.find(guest->second.address);
        if (--same->second == 0) strangers_of_.erase(same);
        if (!is_own_machine(guest->second.address)) --strangers_;
        silent_.erase(session.value());
    }
    guests_.erase(guest);
}

// Sessions are numbered in the order in which they came.
std::optional<UpstreamId> SessionSlots::oldest_silent(const std::string *address) const {
    for (const auto &[number, session] : silent_)
        if (address == nullptr || guests_.at(session).address == *address) return session;
    return std::nullopt;
}

}  // namespace farlink::cla
