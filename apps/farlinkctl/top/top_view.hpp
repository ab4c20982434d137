// SPDX-License-Identifier: Apache-2.0
// What `farlinkctl top` shows, as lines: a pure function of what is known and the size of the
// screen. Values; any thread. It always fits: long lines are cut, and of each table as many rows
// are shown as there is room for.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/farlinkctl/top/top_rates.hpp"

namespace farlink::ctl {

enum class TopSort : std::uint8_t { kNumber = 0, kIn = 1, kOut = 2, kQueued = 3, kState = 4 };
inline constexpr std::size_t kTopSorts = 5;
[[nodiscard]] std::string_view to_string(TopSort sort);
[[nodiscard]] TopSort next(TopSort sort);

struct TopSize {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

struct TopPicture {
    nlohmann::ordered_json state;  ///< of `/api/v1/state`
    std::optional<NodeRates> rates;
    std::vector<nlohmann::ordered_json> events{};  ///< the oldest first
    TopSort sort = TopSort::kNumber;
    std::string trouble{};  ///< why there is nothing newer
    bool keys = true;       ///< tell which keys there are
};

enum class TopStyle : std::uint8_t { kPlain, kHead, kHeading, kGood, kWarning, kError, kFaint };

struct TopLine {
    std::string text;  ///< UTF-8, without control characters
    TopStyle style = TopStyle::kPlain;
};

/// At most `size.rows` lines of at most `size.columns` columns.
[[nodiscard]] std::vector<TopLine> draw_top(const TopPicture &picture, TopSize size);

/// The line with its style as a terminal takes it (ECMA-48); without `colours` the text only.
[[nodiscard]] std::string painted(const TopLine &line, bool colours);

}  // namespace farlink::ctl
