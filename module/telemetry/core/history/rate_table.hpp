// SPDX-License-Identifier: Apache-2.0
// The reply to a query of rates: the values of each series in equal steps.
// Made for one query; one thread.
// Rows of the stored step that fits the query count; the others fill steps without such rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "module/telemetry/core/history/history_query.hpp"
#include "module/telemetry/core/history/rate_row.hpp"

namespace farlink::telemetry {

class RateTable {
public:
    /// Of one reply, and of all its series together; 16 MB while it is made.
    static constexpr std::uint64_t kMostPoints = 20'000;
    static constexpr std::uint64_t kMostValues = 1'000'000;

    /// `query.from` is a multiple of the step; it has at most kMostPoints.
    explicit RateTable(const RateQuery &query);

    /// Adds a value of a stored row that begins at `begin`.
    void add(DtnTime begin, std::uint32_t step_seconds, const std::string &series,
             std::uint64_t value);
    /// More values than a reply may have; later ones were dropped.
    [[nodiscard]] bool too_large() const { return too_large_; }
    [[nodiscard]] std::string to_json() const;
    [[nodiscard]] std::string to_csv() const;

private:
    struct Cell {
        double sum = 0;
        std::uint32_t count = 0;
        bool preferred = false;
    };
    using Cells = std::vector<Cell>;

    [[nodiscard]] Cells *cells_of(const std::string &series);

    RateQuery query_;
    std::uint32_t preferred_step_;
    std::map<std::string, Cells> series_;
    bool too_large_ = false;
};

/// Lines of "time,value,..." with a header line, for steps from `from` on; a text is a value or
/// empty.
[[nodiscard]] std::string rates_csv(DtnTime from, std::uint32_t step_seconds,
                                    const std::map<std::string, std::vector<std::string>> &series);

}  // namespace farlink::telemetry
