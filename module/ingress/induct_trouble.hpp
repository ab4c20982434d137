// SPDX-License-Identifier: Apache-2.0
// Why a peer of an induct got no session lately, if the configuration of one side is wrong.
// One for each induct; the ingress agent's thread only.
// Any host can cause such faults at any rate: the text changes every 10 s at most, and ends after
// a minute.
#pragma once

#include <string>

#include "cla/api/link_fault.hpp"
#include "common/base/time.hpp"

namespace farlink::ingress {

/// Why a session ends just now.
struct SessionEnd {
    std::string peer;       ///< its address, with its node id if it has announced one
    std::string detail;     ///< beyond the name of the fault
    std::string node_id{};  ///< that the peer has announced
};

class InductTrouble {
public:
    /// A session has ended because of `fault`. True: text() has changed.
    [[nodiscard]] bool note(const SessionEnd &end, cla::LinkFault fault, TimePoint now);
    /// True: it was long ago, and text() is empty now.
    [[nodiscard]] bool forget(TimePoint now);
    /// "192.0.2.7: the neighbour does not speak ..."; empty: nothing lately.
    [[nodiscard]] const std::string &text() const { return text_; }
    /// The node id for which the session was refused; empty: another reason, or nothing lately.
    [[nodiscard]] const std::string &refused_id() const { return refused_id_; }

private:
    std::string text_;
    std::string refused_id_;
    TimePoint last_{};     ///< when it happened last
    TimePoint changed_{};  ///< when text_ became another one
};

}  // namespace farlink::ingress
