// SPDX-License-Identifier: Apache-2.0
// Keys of HDTN's configuration and contact plans that farlink does not have, with a replacement.
// A constant table; plain functions, any thread.
// Keys with the same meaning in both are keys of the field tables.
#pragma once

#include <string_view>

namespace farlink::config {

/// The replacement of an HDTN key; empty for any other word.
[[nodiscard]] std::string_view hdtn_advice(std::string_view key);

}  // namespace farlink::config
