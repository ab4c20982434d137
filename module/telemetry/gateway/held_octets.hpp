// SPDX-License-Identifier: Apache-2.0
// The octets of received payloads that the server holds, and a limit for all of them.
// Owned by the gateway; the server's thread only.
// A payload that does not fit ends its connection, so that the node keeps the bundle.
#pragma once

#include <cstdint>
#include <farlink/client/session.hpp>
#include <utility>
#include <vector>

namespace farlink::telemetry {

class HeldOctets {
public:
    explicit HeldOctets(std::uint64_t most) : most_(most) {}

    [[nodiscard]] bool take(std::uint64_t octets) {
        if (held_ >= most_ || octets > most_ - held_) return false;
        held_ += octets;
        return true;
    }
    /// The same for octets that were counted until now.
    void keep(std::uint64_t octets) { held_ += octets; }
    void give_back(std::uint64_t octets) { held_ -= octets; }
    [[nodiscard]] std::uint64_t held() const { return held_; }

private:
    std::uint64_t most_;
    std::uint64_t held_ = 0;
};

/// A receiver whose payloads are counted from their first octet on.
class BoundedDirection final : public client::Direction {
public:
    /// All are borrowed.
    BoundedDirection(client::Receiver &receiver, HeldOctets &held)
        : receiver_(receiver), held_(held) {}
    ~BoundedDirection() override { release(counted_); }
    BoundedDirection(const BoundedDirection &) = delete;
    BoundedDirection &operator=(const BoundedDirection &) = delete;

    [[nodiscard]] bool subscribes() const override { return true; }
    [[nodiscard]] bool handle_message(client::Octets message,
                                      std::int64_t &payload_bytes) override {
        if (!receiver_.handle_message(message, payload_bytes)) return false;
        if (payload_bytes <= 0) return true;
        const auto size = static_cast<std::uint64_t>(payload_bytes);
        too_large_ = !held_.take(size);
        if (!too_large_) counted_ += size;
        return !too_large_;
    }
    [[nodiscard]] bool handle_payload(std::vector<std::uint8_t> payload) override {
        return receiver_.handle_payload(std::move(payload));
    }
    /// The last message announced a payload for which there is no room.
    [[nodiscard]] bool too_large() const { return too_large_; }
    /// So many octets are no longer held.
    void release(std::uint64_t octets) {
        held_.give_back(octets);
        counted_ -= octets;
    }

private:
    client::Receiver &receiver_;
    HeldOctets &held_;
    std::uint64_t counted_ = 0;
    bool too_large_ = false;
};

}  // namespace farlink::telemetry
