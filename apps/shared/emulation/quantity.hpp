// SPDX-License-Identifier: Apache-2.0
// Reads quantities with units: "250ms", "2s", "1.5h"; "500k", "1G"; "10s+2s".
// Plain functions; values only.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "apps/shared/emulation/wire_profile.hpp"

namespace farlink::emulation {

/// A number with ns, us, ms, s, min, h or d; without a unit it is seconds. At most ten years.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
/// A number, with k, M, G or T for powers of 1000, Ki to Ti for those of 1024.
[[nodiscard]] std::optional<std::uint64_t> parse_amount(std::string_view text);
/// "10s+2s": begins at 10 s and lasts for 2 s.
[[nodiscard]] std::optional<Outage> parse_outage(std::string_view text);

}  // namespace farlink::emulation
