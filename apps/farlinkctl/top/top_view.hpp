// SPDX-License-Identifier: Apache-2.0
// The picture of `farlinkctl top` as lines: a pure function of the state and the screen size.
// Values; any thread.
// It fits the screen: long lines are cut, and tables show as many rows as there is room for.
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
    std::string trouble{};  ///< error of the last request; empty: none
    bool keys = true;       ///< show the keys
};

enum class TopStyle : std::uint8_t { kPlain, kHead, kHeading, kGood, kWarning, kError, kFaint };

struct TopLine {
    std::string text;  ///< UTF-8, without control characters
    TopStyle style = TopStyle::kPlain;
};

/// At most `size.rows` lines of at most `size.columns` columns.
[[nodiscard]] std::vector<TopLine> draw_top(const TopPicture &picture, TopSize size);

/// The line with its style as ECMA-48 sequences; without `colours` the text only.
[[nodiscard]] std::string painted(const TopLine &line, bool colours);

}  // namespace farlink::ctl
