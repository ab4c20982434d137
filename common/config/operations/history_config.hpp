// SPDX-License-Identifier: Apache-2.0
// Where the history of the node is kept on disk, how long, and how much of it.
// Part of NodeConfig; values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink::config {

/// `history`
struct HistoryConfig {
    bool enabled = true;                            ///< `enabled`
    std::string folder;                             ///< `folder`
    std::uint32_t event_days = 30;                  ///< `eventDays`
    std::uint32_t rate_days = 7;                    ///< `rateDays`
    std::uint64_t max_bytes = 128ULL << 20;         ///< `maxBytes`
    std::uint64_t free_space_bytes = 256ULL << 20;  ///< `freeSpaceBytes`: left to others
    /// `bundles`: records of bundles that are no longer here, for each module; 0: none
    std::uint64_t bundles = 1'000'000;
    std::string bundles_folder;  ///< `bundlesFolder`
};

}  // namespace farlink::config
