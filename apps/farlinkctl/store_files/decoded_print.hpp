// SPDX-License-Identifier: Apache-2.0
// A stored bundle with its blocks, for people.
// Plain functions; one thread.
// Of a bundle that was not decoded the fields alone.
#pragma once

#include <nlohmann/json.hpp>

namespace farlink::ctl {

/// A line for each field, then a table of `blocks`, where they are.
void print_decoded(const nlohmann::ordered_json &bundle);

}  // namespace farlink::ctl
