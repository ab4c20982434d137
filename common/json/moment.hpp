// SPDX-License-Identifier: Apache-2.0
// Times in JSON.
// A plain function.
// Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include "common/config/fields/instant.hpp"

namespace farlink {

/// The time in UTC; null for never, and for times behind the year 9999.
[[nodiscard]] inline nlohmann::ordered_json moment(DtnTime time) {
    constexpr DtnTime kEndOfYear9999 = 252'455'615'999'999;
    if (time > kEndOfYear9999) return nullptr;
    return config::format_utc(time);
}

}  // namespace farlink
