// SPDX-License-Identifier: Apache-2.0
// Follows the contacts of each link, and orders the agent to open, suspend, pace and close it.
// Owned by EgressCore.
// One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "module/egress/core/batch_returns.hpp"

namespace farlink::egress {

/// What the agent must do with a link.
enum class LinkCommand : std::uint8_t { kOpen, kSuspend, kClose, kSetRate, kSetOwlt, kBreakOff };
struct LinkOrder {
    LinkId link = kNoLink;
    LinkCommand command = LinkCommand::kOpen;
    BitRate rate{};   ///< of the contact
    Duration owlt{};  ///< likewise
};

class LinkContacts {
public:
    LinkContacts(LinkTable &links, BatchReturns &returns, WallClock reading)
        : links_(links), returns_(returns), reading_(reading) {}

    void handle(const bus::ContactStart &event, TimePoint now);
    void handle(const bus::ContactEnd &event, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    void set_wall_clock(WallClock reading) { reading_ = reading; }

    /// Ends the link's contact and the wait for its next one.
    void close(EgressLink &link);
    /// No more follows of the bundle that the link has begun: its session ends.
    void break_off(LinkId link) {
        orders_.push_back({.link = link, .command = LinkCommand::kBreakOff});
    }
    /// The node stops: closes every link; none opens again.
    void drain();
    [[nodiscard]] bool draining() const { return draining_; }

    [[nodiscard]] std::optional<LinkOrder> poll_order();

private:
    void plan(LinkId id, bool planned, BitRate rate, TimePoint now);
    void set_owlt(LinkId id, Duration owlt);
    void set_end(LinkId id, DtnTime end);

    LinkTable &links_;
    BatchReturns &returns_;
    WallClock reading_;
    Ring<LinkOrder> orders_;
    bool draining_ = false;
};

}  // namespace farlink::egress
