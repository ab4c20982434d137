// SPDX-License-Identifier: Apache-2.0
// The one key of a store that lies on several disks: identities must be equal on all of them.
// A plain function; the thread that opens the store.
// A disk that joins an existing store takes over its key.
#pragma once

#include <optional>
#include <span>

#include "module/storage/store/log/log_recovery.hpp"

namespace farlink::storage {

struct DiskKey {
    bool fresh = true;  ///< Recovery::fresh
    SipKey key{};
};

/// The key of the first disk that has one; of new disks alone, that of the first.
[[nodiscard]] inline SipKey common_key(std::span<const DiskKey> disks) {
    for (const DiskKey &disk : disks)
        if (!disk.fresh) return disk.key;
    return disks.empty() ? SipKey{} : disks.front().key;
}

}  // namespace farlink::storage
