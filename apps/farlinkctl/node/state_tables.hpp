// SPDX-License-Identifier: Apache-2.0
// The state of a node as rows of tables: links, storage, custody, events, history.
// Plain functions on the documents of the API; any thread.
// docs/formats/live-updates.md lists the members; absent ones are shown as "-".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::ctl {

/// The state of a link in words: "up", "no contact", "not connected", "listening", ...
[[nodiscard]] std::string link_state(const nlohmann::ordered_json &link);
/// A rate of the plan: "1000000", "unlimited".
[[nodiscard]] std::string contact_rate(const nlohmann::ordered_json &link);

/// Adds `inBitsPerSec` and `outBitsPerSec` of the last second of a history to `links`.
void add_rates(nlohmann::ordered_json &links, const nlohmann::ordered_json &history);
/// Adds the `reason` of those links of `status` that are down during a contact; `links` are those
/// of `/api/v1/links`.
void add_reasons(nlohmann::ordered_json &status, const nlohmann::ordered_json &links);
/// "the figures of egress are 12 s old: it does not report; see farlinkctl alarms", of a reply with
/// figures of a module that hangs; empty: all are of now.
[[nodiscard]] std::string old_figures_line(const nlohmann::ordered_json &reply);
/// `links`: those of `/api/v1/links`, with rates.
[[nodiscard]] std::vector<Row> links_table(const nlohmann::ordered_json &links);
/// "2 bundles, 300 B, wait for 1 destination; 0 in custody", of `/api/v1/storage`.
[[nodiscard]] std::string storage_line(const nlohmann::ordered_json &storage);
/// "and 3 destinations with fewer bundles"
[[nodiscard]] std::string further_destinations(std::uint64_t number);
/// Of `/api/v1/storage`.
[[nodiscard]] std::vector<Row> disks_table(const nlohmann::ordered_json &storage);
/// The node of a row of `pending`; names that belong to no node share one row.
[[nodiscard]] std::string destination_text(const nlohmann::ordered_json &pending);
[[nodiscard]] std::vector<Row> pending_table(const nlohmann::ordered_json &pending);
/// Of `/api/v1/endpoints`.
[[nodiscard]] std::vector<Row> endpoints_table(const nlohmann::ordered_json &endpoints);
[[nodiscard]] std::vector<Row> custody_table(const nlohmann::ordered_json &pending);
/// The value and the name of each counter of custody.
[[nodiscard]] std::vector<Row> custody_counters(const nlohmann::ordered_json &counters);
/// "2026-01-02T03:04:05.678Z info egress: link 3 is down"
[[nodiscard]] std::string event_line(const nlohmann::ordered_json &event);
/// A row for each series, with a line of at most `columns`.
[[nodiscard]] std::vector<Row> history_table(const nlohmann::ordered_json &history,
                                             std::size_t columns, bool utf8);

}  // namespace farlink::ctl
