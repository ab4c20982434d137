// SPDX-License-Identifier: Apache-2.0
// Admits peers to the sessions that an induct can hold, and selects one to end when it is full.
// Owned by an induct; one thread. Times and sockets are the induct's business.
//
// One address that opens silent connections must not shut out all others: strangers
// get at most a quarter of the sessions from one address, and together leave an eighth to known
// neighbours and to this machine. At a limit the oldest stranger within it that has never brought a
// bundle is ended; where all have, the new one is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/base/types.hpp"

namespace farlink::cla {

class SessionSlots {
public:
    explicit SessionSlots(std::uint32_t most);

    struct Answer {
        bool admitted = false;
        std::optional<UpstreamId> leaves;  ///< this session has to end first: leave()
    };
    /// Ends silent strangers until a peer from `address` may have a session; false: it may not.
    /// `acknowledged(id)`: that session is not ended for others. `end(id)` ends it and calls
    /// leave().
    template <class Acknowledged, class End>
    [[nodiscard]] bool make_room(const std::string &address, bool known,
                                 Acknowledged &&acknowledged, End &&end) {
        for (;;) {
            const Answer answer = ask(address, known);
            if (!answer.leaves) return answer.admitted;
            if (acknowledged(*answer.leaves))
                admit(*answer.leaves);
            else
                end(*answer.leaves);
        }
    }
    /// May a peer from `address` have a session? Follow with enter() if so.
    [[nodiscard]] Answer ask(const std::string &address, bool known) const;
    /// Strangers at this address have all the sessions that one address may have.
    [[nodiscard]] bool share_is_used(const std::string &address) const;
    void enter(UpstreamId session, const std::string &address, bool known);
    /// It has sent a bundle, or is proved to be a neighbour: it is not ended for others any more.
    void admit(UpstreamId session);
    void leave(UpstreamId session);
    [[nodiscard]] std::size_t size() const { return guests_.size(); }

private:
    struct Guest {
        std::string address;
        bool known = false;
        bool silent = true;
    };

    [[nodiscard]] std::optional<UpstreamId> oldest_silent(const std::string *address) const;

    std::size_t most_;
    std::size_t most_of_address_;
    std::size_t most_of_strangers_;
    std::unordered_map<UpstreamId, Guest> guests_;
    std::map<std::uint32_t, UpstreamId> silent_;  ///< strangers, the oldest first
    std::unordered_map<std::string, std::size_t> strangers_of_;
    std::size_t strangers_ = 0;  ///< but for those of this machine
};

}  // namespace farlink::cla
