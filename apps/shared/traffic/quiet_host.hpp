// SPDX-License-Identifier: Apache-2.0
// A link host that ignores events, for tools that use a convergence layer without bundles.
// Owned by the tool; one thread.
// Datagrams that the system has dropped are counted.
#pragma once

#include "cla/api/link.hpp"

namespace farlink::traffic {

class QuietHost final : public cla::LinkHost {
public:
    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId, UpstreamId, ReceivedBundles &) override {}
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_state(LinkId, cla::LinkState, cla::LinkFault) override {}
    void on_transmitted(LinkId, std::uint64_t) override {}
    void on_writable(LinkId) override {}
    void on_datagrams_lost(LinkId, std::uint64_t datagrams) override { lost_ += datagrams; }
    [[nodiscard]] std::uint64_t datagrams_lost() const { return lost_; }

private:
    std::uint64_t lost_ = 0;
};

}  // namespace farlink::traffic
