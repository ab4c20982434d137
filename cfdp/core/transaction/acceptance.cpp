// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/acceptance.hpp"

namespace farlink::cfdp {

ConditionCode wrong_metadata(const Metadata &metadata, const std::optional<Eof> &eof,
                             const RemoteSettings &remote, const Filestore &filestore) {
    if (metadata.destination_name.empty() && metadata.source_name.empty())
        return ConditionCode::kNoError;
    if (metadata.destination_name.empty() || metadata.source_name.empty())
        return ConditionCode::kFilestoreRejection;
    if (!remote.may_put || metadata.file_size > remote.largest_file)
        return ConditionCode::kFilestoreRejection;
    if (!filestore.is_allowed(remote.entity, metadata.destination_name))
        return ConditionCode::kFilestoreRejection;
    if (eof && metadata.file_size != 0 && metadata.file_size != eof->file_size)
        return ConditionCode::kSizeError;
    return ConditionCode::kNoError;
}

bool fits(std::uint64_t end, const std::optional<Metadata> &metadata, const std::optional<Eof> &eof,
          const RemoteSettings &remote) {
    if (eof) return end <= eof->file_size;
    if (end > remote.largest_file) return false;
    return !metadata || metadata->file_size == 0 || end <= metadata->file_size;
}

}  // namespace farlink::cfdp
