// SPDX-License-Identifier: Apache-2.0
// The words of events about links and disks.
// Plain functions on values.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::telemetry {

/// "link 3 to node 4"
[[nodiscard]] std::string link_to(LinkId link, NodeNumber neighbour);
/// "link 3: node 4 closed the connection", "link 3 to node 4: cannot connect: Connection refused"
[[nodiscard]] std::string fault_text(const bus::LinkInfo &info);
/// The peers that an induct refuses and did not `before`, as fault_text().
[[nodiscard]] std::vector<std::string> new_refusals(const bus::LinkInfo &info,
                                                    const bus::LinkInfo *before);
/// The reason of the induct is that of a peer that it refuses.
[[nodiscard]] bool tells_refusal(const bus::LinkInfo &info);
[[nodiscard]] const char *in_words(bus::LinkDownReason reason);
/// Of a disk whose state is not that of `before`.
[[nodiscard]] std::string disk_text(const bus::DiskReport &disk, bus::DiskState before);
[[nodiscard]] bool all_full(const bus::StorageReport &report);

}  // namespace farlink::telemetry
