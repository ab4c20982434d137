// SPDX-License-Identifier: Apache-2.0
// What telemetry knows of a node as rows of tables: links, storage, custody, events, history.
// Plain functions on the documents of the API; any thread.
// docs/formats/live-updates.md lists what the documents have; what they have not is "-".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::ctl {

/// Why a link of the state is not used: "up", "no contact", "not connected", "listening", ...
[[nodiscard]] std::string link_state(const nlohmann::ordered_json &link);
/// A rate of the plan: "1000000", "unlimited".
[[nodiscard]] std::string contact_rate(const nlohmann::ordered_json &link);

/// Puts `inBitsPerSec` and `outBitsPerSec` of the last second into `links`, from a history.
void add_rates(nlohmann::ordered_json &links, const nlohmann::ordered_json &history);
/// `links`: those of `/api/v1/links`, with rates.
[[nodiscard]] std::vector<Row> links_table(const nlohmann::ordered_json &links);
/// Of `/api/v1/storage`.
[[nodiscard]] std::vector<Row> disks_table(const nlohmann::ordered_json &storage);
[[nodiscard]] std::vector<Row> pending_table(const nlohmann::ordered_json &pending);
[[nodiscard]] std::vector<Row> custody_table(const nlohmann::ordered_json &pending);
/// Each counter of custody and what it counts.
[[nodiscard]] std::vector<Row> custody_counters(const nlohmann::ordered_json &counters);
/// "2026-01-02T03:04:05.678Z info egress: link 3 is down"
[[nodiscard]] std::string event_line(const nlohmann::ordered_json &event);
/// A row for each series, with a line of at most `columns`.
[[nodiscard]] std::vector<Row> history_table(const nlohmann::ordered_json &history,
                                             std::size_t columns, bool utf8);

}  // namespace farlink::ctl
