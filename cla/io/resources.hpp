// SPDX-License-Identifier: Apache-2.0
// What a loop lends to its links: the reactor and the memory to read into.
// Owned by the agent whose loop it is.
// One thread.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "cla/api/link.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::cla {

struct LinkResources {
    boost::asio::io_context &io;
    ReadBuffer &buffer;
    LinkHost &host;
    /// Numbers the sessions of all links of the process's loop.
    std::uint32_t &next_upstream;
};

/// The largest bundle that a link takes by default where it is stored as it arrives: it needs no
/// memory of its size.
inline constexpr std::uint64_t kSpooledBundleBytes = std::uint64_t{64} << 30;

/// As configured; `usual` where it is not.
[[nodiscard]] inline std::uint64_t largest_bundle(const config::LinkOptions &link,
                                                  const ReadBuffer &buffer, std::uint64_t usual) {
    const bool given =
        std::ranges::find(link.given_keys, "maxBundleSizeBytes") != link.given_keys.end();
    const bool spools = buffer.spool_above() != ~std::uint64_t{0};
    if (!given && spools) return std::max(usual, kSpooledBundleBytes);
    return usual;
}

}  // namespace farlink::cla
