// SPDX-License-Identifier: Apache-2.0
// The keys of HDTN's configuration, by section, and what becomes of each.
// Constant; any thread.
// docs/guide/coming-from-hdtn.md has the same table in words.
#pragma once

#include <span>

#include "common/config_import/hdtn/hdtn_section.hpp"

namespace farlink::config {

[[nodiscard]] std::span<const HdtnKey> hdtn_top_keys();
[[nodiscard]] std::span<const HdtnKey> hdtn_induct_list_keys();
[[nodiscard]] std::span<const HdtnKey> hdtn_outduct_list_keys();
[[nodiscard]] std::span<const HdtnKey> hdtn_induct_keys();
[[nodiscard]] std::span<const HdtnKey> hdtn_outduct_keys();
[[nodiscard]] std::span<const HdtnKey> hdtn_storage_keys();
[[nodiscard]] std::span<const HdtnKey> hdtn_disk_keys();

}  // namespace farlink::config
