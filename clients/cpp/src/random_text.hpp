// SPDX-License-Identifier: Apache-2.0
// Random services and secrets. Not installed.
// Plain functions.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink::client {

[[nodiscard]] std::uint64_t random_number();
/// 32 hexadecimal digits.
[[nodiscard]] std::string random_text();
/// A service number from 2^30 to 2^31.
[[nodiscard]] std::string random_number_text();

}  // namespace farlink::client
