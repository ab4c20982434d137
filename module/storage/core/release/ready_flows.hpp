// SPDX-License-Identifier: Apache-2.0
// Which flows have a bundle to send by which links, and how much of each flow a link may take.
// Owned by Releaser; one thread.
// The router may lay a flow onto several links; each of them then takes its share.
#pragma once

#include <optional>

#include "module/storage/core/release/release_links.hpp"

namespace farlink::storage {

class ReadyFlows {
public:
    ReadyFlows(StorageContext &context, ReleaseLinks &links) : context_(context), links_(links) {}

    /// Lists the flow on its links if it has a bundle that waits.
    void offer(FlowIndex flow);
    void offer_all();
    /// The bundle of the flow whose turn it is; kNoEntry when none waits. Bundles that exceed every
    /// contact of the plan are set aside, unless a policy names the link, or a link cuts them.
    [[nodiscard]] EntryIndex next_bundle(FlowIndex flow);
    /// Another plan may have a contact for the bundles that were set aside.
    void retry_set_aside();
    /// The flow whose turn it is on the link: the first of the highest priority; kNoFlow when no
    /// flow has anything to send by this link.
    [[nodiscard]] FlowIndex next_flow(LinkId id, ReleaseLink &link);

    /// How much of the flow is laid onto the link; empty when the link is on no route of the flow.
    [[nodiscard]] std::optional<std::uint64_t> share_of(LinkId id, const ReleaseLink &link,
                                                        FlowIndex flow) const;
    void spend_share(LinkId id, FlowIndex flow, std::uint64_t bytes);

private:
    [[nodiscard]] bool may_leave_in_parts(EntryIndex index, std::uint64_t limit);

    StorageContext &context_;
    ReleaseLinks &links_;
};

}  // namespace farlink::storage
