// SPDX-License-Identifier: Apache-2.0
// Why a peer of an induct got no session lately, if the configuration of one side is wrong.
// One for each induct; the ingress agent's thread only.
// Any host can cause such faults at any rate: the text changes every 10 s at most, and ends after
// a minute. So does each of the few node ids that were refused, and when there are as many as are
// kept, a further one replaces the one seen last longest ago, every 10 s at most.
#pragma once

#include <string>
#include <vector>

#include "cla/api/link_fault.hpp"
#include "common/base/time.hpp"

namespace farlink::ingress {

/// Why a session ends just now.
struct SessionEnd {
    std::string peer;       ///< its address, with its node id if it has announced one
    std::string detail;     ///< beyond the name of the fault
    std::string node_id{};  ///< that the peer has announced
};

/// A node id for which a session was refused lately.
struct RefusedId {
    std::string node_id;
    std::string text;     ///< as InductTrouble::text()
    TimePoint last{};     ///< when it was refused last
    TimePoint changed{};  ///< when it, or its text, became another one
};

class InductTrouble {
public:
    static constexpr std::size_t kMostRefused = 8;

    /// A session has ended because of `fault`. True: text() or refused() has changed.
    [[nodiscard]] bool note(const SessionEnd &end, cla::LinkFault fault, TimePoint now);
    /// True: something was long ago, and text() or refused() has changed.
    [[nodiscard]] bool forget(TimePoint now);
    /// "192.0.2.7: the neighbour does not speak ..."; empty: nothing lately.
    [[nodiscard]] const std::string &text() const { return text_; }
    [[nodiscard]] const std::vector<RefusedId> &refused() const { return refused_; }

private:
    [[nodiscard]] bool note_text(const std::string &text, TimePoint now);
    [[nodiscard]] bool note_refused(const std::string &node_id, const std::string &text,
                                    TimePoint now);

    std::string text_;
    std::vector<RefusedId> refused_;
    TimePoint last_{};     ///< when it happened last
    TimePoint changed_{};  ///< when text_ became another one
    TimePoint added_{};    ///< when a node id joined the others last
};

}  // namespace farlink::ingress
