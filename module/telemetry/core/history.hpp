// SPDX-License-Identifier: Apache-2.0
// An hour of series with a value a second: rates of the node and of each link, stored bundles.
// Owned by the telemetry agent; one thread.
// Its memory is bounded by the number of series and points.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "module/telemetry/core/history/rate_row.hpp"

namespace farlink::telemetry {

class History {
public:
    static constexpr std::size_t kMostPoints = 3600;
    /// 15 MB when all are used.
    static constexpr std::size_t kMostSeries = 1024;

    /// Begins the point of the next second; `wall` is its end.
    void begin_point(DtnTime wall);
    /// Sets a gauge in that second, such as stored bundles.
    void level(const std::string &series, std::uint64_t value);
    /// Sets a total of octets; the point is its growth in bits. The point is unknown in the first
    /// second of a series, and when the total was reset.
    void octets(const std::string &series, std::uint64_t total);

    /// The values of the last second.
    void visit(
        const std::function<void(const std::string &series, std::uint64_t value)> &handler) const;
    /// Fills the hour before `wall` with rows of an earlier run, in its first second.
    void restore(const std::vector<RateRow> &rows, DtnTime wall);

    /// The last `seconds` as JSON (docs/formats/live-updates.md), all series or those named.
    [[nodiscard]] std::string to_json(std::size_t seconds,
                                      const std::vector<std::string> &names = {}) const;
    /// The same as comma-separated values.
    [[nodiscard]] std::string to_csv(std::size_t seconds,
                                     const std::vector<std::string> &names = {}) const;
    [[nodiscard]] std::size_t points() const;

private:
    struct Series {
        std::vector<float> values;  ///< by second modulo the hour; NaN: unknown
        std::optional<std::uint64_t> total;
        std::size_t published = 0;  ///< the last point with a value
    };

    Series *series(const std::string &name);
    [[nodiscard]] bool make_room();
    [[nodiscard]] std::size_t place(std::size_t back) const;

    std::map<std::string, Series> series_;
    std::size_t begun_ = 0;  ///< points so far
    std::size_t full_ = 0;   ///< the point at which no series could be replaced
    DtnTime end_ = 0;
};

}  // namespace farlink::telemetry
