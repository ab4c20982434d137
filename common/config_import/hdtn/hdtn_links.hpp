// SPDX-License-Identifier: Apache-2.0
// Inducts and outducts of HDTN's configuration as farlink's.
// Plain functions, called by the importer; they write into its result.
// One thread.
#pragma once

#include <cstdint>

#include "common/config_import/hdtn/hdtn_import.hpp"
#include "common/config_import/hdtn/hdtn_section.hpp"

namespace farlink::config {

/// What the links need of the rest.
struct HdtnLinkContext {
    const HdtnChoices &choices;
    HdtnNotes &notes;
    std::uint64_t max_bundle_bytes = 0;  ///< `maxBundleSizeBytes` of the node; 0: not given
    ImportedJson &out;                   ///< the whole configuration
};

/// `inductsConfig`, with the list in it.
void import_inducts(const JsonValue &json, const HdtnLinkContext &context);
void import_outducts(const JsonValue &json, const HdtnLinkContext &context);

/// LTP outducts that leave by the port of an induct have its engine, and leave its settings out.
void join_ltp_ports(const HdtnLinkContext &context);

/// A file name as the result has it.
[[nodiscard]] std::string located(const std::string &name, const HdtnChoices &choices);

}  // namespace farlink::config
