// SPDX-License-Identifier: Apache-2.0
// The effect of an LTP link's settings: the outages that it survives, and whether it can be filled.
// Plain functions; values only.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"

namespace farlink::config {

/// What limits that count bundles are judged by.
inline constexpr std::uint64_t kTypicalBundleBytes = 100'000;

/// The longest outage of a sender that no session of it dies from:
/// 2 x (light time + margin) x retries.
[[nodiscard]] Duration survivable_outage(const LtpConfig &ltp);

/// After so long a sender whose block is not safe yet is asked for patience: half of what it has,
/// if its settings are these.
[[nodiscard]] Duration closing_report_hold(const LtpConfig &ltp);

/// How long bundles may hold their peers back before they go to storage: `maxPauseMilliseconds`,
/// and where blocks come by LTP not longer than half of the time above.
[[nodiscard]] Duration longest_pause(const NodeConfig &config);

/// Octets that are under way while a link of that rate is full: rate x (round trip + margins).
[[nodiscard]] std::uint64_t bytes_to_fill(const LtpConfig &ltp, BitRate rate);

/// One line for each limit of the link that keeps it from being filled at `rate`, with the value
/// that would do; none where all is well or the rate is not limited. `bundle_bytes`: of a typical
/// bundle, for limits that count bundles.
[[nodiscard]] std::vector<std::string> pipeline_warnings(const LinkOptions &link, BitRate rate,
                                                         std::uint64_t bundle_bytes);

}  // namespace farlink::config
