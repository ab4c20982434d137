// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/access/connection_seats.hpp"

#include "common/config/fields/ip_address.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::size_t kShareOfAddress = 4;
constexpr std::size_t kReserve = 8;

bool is_own_machine(const std::string &address) {
    return config::address_matches("127.0.0.0/8", address) ||
           config::address_matches("::1", address);
}

}  // namespace

ConnectionSeats::Answer ConnectionSeats::ask(
    const std::string &address, const std::function<bool(std::uint64_t)> &waits) const {
    const bool own = is_own_machine(address);
    std::size_t same = 0;
    std::size_t others = 0;
    for (const auto &[connection, of] : seats_) {
        same += of == address ? 1 : 0;
        others += is_own_machine(of) ? 0 : 1;
    }
    const bool address_full = same >= most_ / kShareOfAddress;
    const bool others_full = !own && others >= most_ - most_ / kReserve;
    if (!address_full && !others_full && seats_.size() < most_) return {true, std::nullopt};
    for (const auto &[connection, of] : seats_) {
        if (address_full && of != address) continue;
        if (others_full && is_own_machine(of)) continue;
        if (waits(connection)) return {true, connection};
    }
    return {};
}

void ConnectionSeats::enter(std::uint64_t connection, const std::string &address) {
    seats_[connection] = address;
}

void ConnectionSeats::leave(std::uint64_t connection) {
    seats_.erase(connection);
}

}  // namespace farlink::telemetry
