// SPDX-License-Identifier: Apache-2.0
// What a receiver accepts of a remote entity: names, sizes and octets of a file.
// Functions; no owner.
// Any thread. The filestore says which names are allowed.
#pragma once

#include <optional>

#include "cfdp/core/pdu/pdu.hpp"
#include "cfdp/core/transaction/filestore.hpp"
#include "cfdp/core/transaction/settings.hpp"

namespace farlink::cfdp {

/// The fault of Metadata from `remote`; none: no error.
[[nodiscard]] ConditionCode wrong_metadata(const Metadata &metadata, const std::optional<Eof> &eof,
                                           const RemoteSettings &remote,
                                           const Filestore &filestore);
/// Whether file data up to `end` lies in the file, as far as its size is known.
[[nodiscard]] bool fits(std::uint64_t end, const std::optional<Metadata> &metadata,
                        const std::optional<Eof> &eof, const RemoteSettings &remote);

}  // namespace farlink::cfdp
