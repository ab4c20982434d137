// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/kernel_buffers.hpp"

#include <algorithm>

#include "common/config/fields/config_error.hpp"

namespace farlink::config {
namespace {

/// An induct may have more connections, of which not all send at the time of a shutdown.
constexpr std::uint64_t kFewConnections = 4;

}  // namespace

std::vector<std::string> review_kernel_buffers(const NodeConfig &config,
                                               std::uint64_t largest_receive_buffer) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < config.inducts.size(); ++at) {
        const InductConfig &induct = config.inducts[at];
        if (induct.url.scheme != "stcp" && induct.url.scheme != "mtcp") continue;
        const std::uint64_t connections =
            std::min<std::uint64_t>(induct.max_sessions, kFewConnections);
        // The kernel grants twice what is requested.
        const std::uint64_t each = induct.socket_buffer_bytes > 0 ? 2 * induct.socket_buffer_bytes
                                                                  : largest_receive_buffer;
        if (connections * each <= config.buffer_bytes) continue;
        lines.push_back(item_path("inductsConfig", at) + ": the kernel may hold " +
                        std::to_string(each) + " bytes of each connection, and " +
                        std::to_string(connections) + (connections == 1 ? " has" : " have") +
                        " more than `bufferBytes` (" + std::to_string(config.buffer_bytes) +
                        "): a shutdown on a full disk may lose them, which their senders take for "
                        "sent; raise bufferBytes, or set socketBufferBytes and maxSessions");
    }
    return lines;
}

}  // namespace farlink::config
