// SPDX-License-Identifier: Apache-2.0
// Places of an LTP induct for remote engines, and which engine ends when they are all taken.
// Owned by the induct; its loop's thread only.
// Any datagram can introduce an engine, so strangers are divided as sessions over TCP are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "cla/ltp/remote_engine.hpp"
#include "cla/session/session_slots.hpp"

namespace farlink::cla::ltp {

using RemoteEngines = std::unordered_map<PeerId, std::unique_ptr<RemoteEngine>>;

class EnginePlaces {
public:
    /// Engines that end in a second for strangers, who are refused beyond it: an end and a start
    /// take time, and an engine with a slow block keeps its place for a while.
    static constexpr std::uint32_t kMostEnds = 256;

    EnginePlaces(LinkId link, std::uint32_t most) : link_(link), most_(most), slots_(most) {}

    /// Ends engines until one at `address` may have a place; false: it may not. `end(peer)` ends
    /// the engine and calls leave().
    [[nodiscard]] bool make_room(const std::string &address, bool known,
                                 const RemoteEngines &engines,
                                 const std::function<void(PeerId)> &end);
    void enter(PeerId peer, const std::string &address, bool known) {
        slots_.enter(guest(peer), address, known);
    }
    /// A block has arrived from it: it does not end at once for other strangers any more.
    void admit(PeerId peer) { slots_.admit(guest(peer)); }
    void leave(PeerId peer) { slots_.leave(guest(peer)); }

private:
    /// Peers of a port are numbered in the order in which they came, like sessions.
    [[nodiscard]] static UpstreamId guest(PeerId peer) { return UpstreamId{peer.value()}; }

    [[nodiscard]] std::optional<PeerId> idlest(const std::string &address, bool known,
                                               const RemoteEngines &engines, TimePoint now) const;
    [[nodiscard]] bool may_end(TimePoint now);
    void log_end(TimePoint now);

    LinkId link_;
    std::uint32_t most_;
    SessionSlots slots_;
    TimePoint ends_since_{};
    std::uint32_t ends_ = 0;  ///< for strangers since then, within a second
    Logger log_{"ltp"};
    LogLimiter log_limit_{seconds(10)};
    std::uint64_t unlogged_ = 0;  ///< engines that have ended since the last line
};

}  // namespace farlink::cla::ltp
