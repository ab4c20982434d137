// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/file_scan.hpp"

#include "module/storage/disk/record_number.hpp"

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

std::string words_of(const Damage &damage) {
    const std::string file = "log file " + std::to_string(damage.file);
    const std::string place = file + " at offset " + std::to_string(damage.offset);
    const std::string record = damage.number == 0 ? "" : " of record " + name_of(damage.number);
    switch (damage.kind) {
        case DamageKind::kMissing:
            return file + " is missing";
        case DamageKind::kUnflushed:
            return file + " cannot be flushed";
        case DamageKind::kFileHeader:
            return file + ": header damaged";
        case DamageKind::kTorn:
            return place + ": the last write is incomplete";
        case DamageKind::kHeader:
        case DamageKind::kPayload:
            break;
    }
    return place + ": " + std::string(to_string(damage.kind)) + record + " damaged";
}

}  // namespace farlink::storage
