// SPDX-License-Identifier: Apache-2.0
// Keys of HDTN's configuration and contact plans that farlink does not have, and what to write
// instead. A constant table; plain functions, any thread.
// Keys that mean the same in both are simply keys of the field tables.
#pragma once

#include <string_view>

namespace farlink::config {

/// What to write instead of an HDTN key; empty for any other word.
[[nodiscard]] std::string_view hdtn_advice(std::string_view key);

}  // namespace farlink::config
