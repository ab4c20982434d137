// SPDX-License-Identifier: Apache-2.0
// An hour of figures, one a second and series: what went in and out, by link, and what is stored.
// Owned by the telemetry agent; one thread.
// Its memory is bounded: an hour of so many series, and no more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"

namespace farlink::telemetry {

class History {
public:
    static constexpr std::size_t kMostPoints = 3600;
    /// 15 MB when all are used.
    static constexpr std::size_t kMostSeries = 1024;

    /// Begins the point of another second; `wall` is its end.
    void begin_point(DtnTime wall);
    /// A level in that second, such as what is stored.
    void level(const std::string &series, std::uint64_t value);
    /// A total of octets; the point is what it has grown by, in bits. Nothing is known of the first
    /// second of a series, and of one in which the total began anew.
    void octets(const std::string &series, std::uint64_t total);

    /// The last `seconds` as JSON (docs/formats/live-updates.md), all series or those named.
    [[nodiscard]] std::string to_json(std::size_t seconds,
                                      const std::vector<std::string> &names = {}) const;
    [[nodiscard]] std::size_t points() const;

private:
    struct Series {
        std::vector<float> values;  ///< by second modulo the hour; not a number: not known
        std::optional<std::uint64_t> total;
        std::size_t published = 0;  ///< the last point that something was told of
    };

    Series *series(const std::string &name);
    [[nodiscard]] bool make_room();
    [[nodiscard]] std::size_t place(std::size_t back) const;

    std::map<std::string, Series> series_;
    std::size_t begun_ = 0;  ///< points so far
    std::size_t full_ = 0;   ///< the point in which there was no room
    DtnTime end_ = 0;
};

}  // namespace farlink::telemetry
