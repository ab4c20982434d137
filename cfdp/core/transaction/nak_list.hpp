// SPDX-License-Identifier: Apache-2.0
// What is missing, as NAKs (CCSDS 727.0-B-5 section 4.6.4.3).
// A plain function.
// Any thread.
#pragma once

#include <vector>

#include "cfdp/core/pdu/pdu.hpp"
#include "common/files/extents.hpp"

namespace farlink::cfdp {

/// As many PDUs as are needed, at least one. `header`: of the NAKs; `pdu_bytes`: of each at most.
[[nodiscard]] std::vector<Nak> make_naks(files::Extent scope,
                                         const std::vector<files::Extent> &gaps,
                                         bool without_metadata, const PduHeader &header,
                                         std::size_t pdu_bytes);

}  // namespace farlink::cfdp
