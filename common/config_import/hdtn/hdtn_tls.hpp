// SPDX-License-Identifier: Apache-2.0
// TLS of HDTN's TCPCLv4 links as farlink's.
// Plain functions, called for each link; they write into it.
// What checks no peer is written only if it is asked for, otherwise refused with the line to add.
#pragma once

#include <string>

#include "common/config_import/hdtn/hdtn_import.hpp"
#include "common/config_import/hdtn/hdtn_section.hpp"

namespace farlink::config {

void import_induct_tls(const HdtnSection &section, const HdtnChoices &choices, ImportedJson &out,
                       const std::string &out_path);
void import_outduct_tls(const HdtnSection &section, const HdtnChoices &choices, ImportedJson &out,
                        const std::string &out_path);

}  // namespace farlink::config
