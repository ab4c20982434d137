// SPDX-License-Identifier: Apache-2.0
// Appends events and rows to the current file of their kind, and begins new files.
// Owned by HistoryStore; its thread only.
// After a restart the newest file of a kind is continued when its period is not over.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/types.hpp"
#include "module/telemetry/core/history/rate_row.hpp"
#include "module/telemetry/core/text/json.hpp"
#include "module/telemetry/history/history_folder.hpp"

namespace farlink::telemetry {

class HistoryWriter {
public:
    /// A file of `most_bytes` is followed by a new one. `folder` is borrowed.
    HistoryWriter(HistoryFolder &folder, NodeNumber node, std::uint64_t most_bytes)
        : folder_(folder), node_(node), most_bytes_(most_bytes) {}

    /// The newest whole file of its kind.
    void continue_with(const KeptFile &file);
    /// New files get higher numbers.
    void reserve_number(std::uint64_t number) { last_number_ = std::max(last_number_, number); }
    /// Writes the events, and removes those written from the list. Returns the error, or nothing.
    [[nodiscard]] std::string write(Json &events);
    [[nodiscard]] std::string write(std::vector<RateRow> &rows);

private:
    struct Current {
        HistoryFile file;
        std::uint64_t bytes = 0;  ///< 0: no octet is in it
        RateEncoder encoder{};
    };

    Current &current(HistoryKind kind, DtnTime time);
    [[nodiscard]] bool takes(const Current &current, DtnTime time) const;
    [[nodiscard]] std::string append(Current &current, ByteView blocks);

    HistoryFolder &folder_;
    NodeNumber node_;
    std::uint64_t most_bytes_;
    std::uint64_t last_number_ = 0;
    std::map<HistoryKind, Current> current_;
};

}  // namespace farlink::telemetry
