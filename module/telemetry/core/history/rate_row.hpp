// SPDX-License-Identifier: Apache-2.0
// Rows of rates as blocks of a history file: the values of all series in one step.
// RateEncoder is owned by the writer of a file, RateDecoder by a reader; one thread each.
// Names are written once; rows refer to them by number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "module/telemetry/core/history/history_file.hpp"

namespace farlink::telemetry {

/// The mean of each series in one step.
struct RateRow {
    DtnTime begin = 0;
    std::uint32_t step_seconds = kFineStepSeconds;
    std::vector<std::pair<std::string, std::uint64_t>> values{};

    [[nodiscard]] HistoryKind kind() const {
        return step_seconds == kFineStepSeconds ? HistoryKind::kFineRates
                                                : HistoryKind::kCoarseRates;
    }
};

class RateEncoder {
public:
    /// Appends the row, and the names that are new since the last row.
    void append(Bytes &to, const RateRow &row);
    /// The next row is the first of a file, or follows one that was not written.
    void begin_anew() { generation_ = 0; }

private:
    static constexpr std::size_t kMostNames = 4096;

    void append_names(Bytes &to, std::size_t first, const RateRow &row);

    std::uint64_t generation_ = 0;  ///< of the numbers; 0: none yet
    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
};

class RateDecoder {
public:
    using Handler = std::function<void(const std::string &name, std::uint64_t value)>;

    /// Gives the values of a row to `handler`; handles blocks of names.
    void handle(const HistoryBlock &block, const Handler &handler);

private:
    void handle_names(ByteView in);
    void handle_row(ByteView in, const Handler &handler) const;

    std::uint64_t generation_ = 0;
    std::vector<std::string> names_;
};

}  // namespace farlink::telemetry
