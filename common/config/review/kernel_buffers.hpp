// SPDX-License-Identifier: Apache-2.0
// Inducts without acknowledgements whose kernel may hold more than a shutdown can store on a full
// disk: the senders take these data for sent.
// A plain function; values only. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"

namespace farlink::config {

/// A line for each STCP or MTCP induct of which a few connections exceed `bufferBytes`.
/// `largest_receive_buffer`: the kernel's limit for a connection, in octets (net.ipv4.tcp_rmem).
[[nodiscard]] std::vector<std::string> review_kernel_buffers(const NodeConfig &config,
                                                             std::uint64_t largest_receive_buffer);

}  // namespace farlink::config
