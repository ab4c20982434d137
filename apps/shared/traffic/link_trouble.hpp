// SPDX-License-Identifier: Apache-2.0
// Why a tool's link is not connected, in the words that a node has for its links.
// Owned by the tool's link host, which passes on the reports of the link; one thread.
// The last reason counts.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cla/api/link_fault.hpp"

namespace farlink::traffic {

class LinkTrouble {
public:
    /// LinkHost::on_unreachable()
    void handle_unreachable(std::string_view why) { why_ = why; }
    /// LinkHost::on_ending()
    void handle_ending(std::string_view detail) { detail_ = detail; }
    /// LinkHost::on_state()
    void handle_state(cla::LinkFault fault) {
        const std::string detail = std::exchange(detail_, {});
        // The report of the attempt came first, and says more.
        if (fault == cla::LinkFault::kConnectFailed && !why_.empty()) return;
        if (fault != cla::LinkFault::kNone) why_ = cla::in_words(fault, detail);
    }
    /// The link has reported a reason.
    [[nodiscard]] bool known() const { return !why_.empty(); }
    [[nodiscard]] std::string why() const {
        return why_.empty() ? "the peer does not respond" : why_;
    }

private:
    std::string why_;
    std::string detail_;  ///< of the session that is about to end
};

}  // namespace farlink::traffic
