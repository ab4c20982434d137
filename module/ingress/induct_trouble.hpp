// SPDX-License-Identifier: Apache-2.0
// Why a peer of an induct got no session lately: what the operator can do something about.
// Owned by the ingress agent, one for each induct; its thread only.
// Strangers cause such faults as often as they like, so it changes seldom, and is forgotten.
#pragma once

#include <string>

#include "cla/api/link_fault.hpp"
#include "common/base/time.hpp"

namespace farlink::ingress {

/// What is known of a session that ends just now.
struct SessionEnd {
    std::string peer;    ///< its address, with its node id where it has told one
    std::string detail;  ///< beyond the name of the fault
};

class InductTrouble {
public:
    /// A session has ended because of `fault`. True: text() has changed.
    [[nodiscard]] bool note(const SessionEnd &end, cla::LinkFault fault, TimePoint now);
    /// True: it was long ago, and text() is empty now.
    [[nodiscard]] bool forget(TimePoint now);
    /// "192.0.2.7: the neighbour does not speak ..."; empty: nothing lately.
    [[nodiscard]] const std::string &text() const { return text_; }

private:
    std::string text_;
    TimePoint last_{};     ///< when it happened last
    TimePoint changed_{};  ///< when text_ became another one
};

}  // namespace farlink::ingress
