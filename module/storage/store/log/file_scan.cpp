// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/file_scan.hpp"

namespace farlink::storage {

std::string_view to_string(DamageKind kind) {
    switch (kind) {
        case DamageKind::kTorn:
            return "torn";
        case DamageKind::kHeader:
            return "record header";
        case DamageKind::kPayload:
            return "record payload";
        case DamageKind::kFileHeader:
            return "file header";
        case DamageKind::kUnflushed:
            return "cannot be flushed";
        case DamageKind::kMissing:
            return "file missing";
    }
    return "unknown";
}

}  // namespace farlink::storage
